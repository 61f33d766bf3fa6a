package io.convoke.engine.durable.postgres;

import java.time.Duration;

/**
 * Limits the rate of notifications. The first after a pause is sent at once; under continuous load
 * the gaps double up to {@link #MOST}: each notification wakes every node, and one carries as much
 * as ten.
 */
final class NotifyThrottle {
  static final Duration LEAST = Duration.ofMillis(2);
  static final Duration MOST = Duration.ofMillis(8);

  private long last;
  private long gap = LEAST.toNanos();

  /** A throttle that lets the first notification pass. */
  NotifyThrottle(long now) {
    this.last = now - 2 * MOST.toNanos() - 1;
  }

  /** Whether the caller may notify now; if true, it must. */
  synchronized boolean tryAcquire(long now) {
    if (now - last <= gap) {
      return false;
    }
    onNotified(now);
    return true;
  }

  /** Records that a notification was sent. */
  synchronized void onNotified(long now) {
    gap = now - last <= 2 * gap ? Math.min(2 * gap, MOST.toNanos()) : LEAST.toNanos();
    last = now;
  }

  /** The time until the next notification is allowed, in nanoseconds. */
  synchronized long silence(long now) {
    return Math.max(0, last + gap - now);
  }
}
