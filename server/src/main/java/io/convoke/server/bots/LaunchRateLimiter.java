package io.convoke.server.bots;

import java.time.Duration;
import java.util.Optional;

/**
 * Spaces launches out, so that a hundred meetings at the full hour do not start a hundred bots in
 * one second.
 */
final class LaunchRateLimiter {
  private final long gapNanos;
  private long next = System.nanoTime();

  LaunchRateLimiter(Optional<Integer> perSecond) {
    this.gapNanos = perSecond.map(rate -> Duration.ofSeconds(1).toNanos() / rate).orElse(0L);
  }

  /** Takes the next free slot and returns the time until then. */
  synchronized Duration acquire() {
    long now = System.nanoTime();
    long at = next - now > 0 ? next : now;
    next = at + gapNanos;
    return Duration.ofNanos(at - now);
  }
}
