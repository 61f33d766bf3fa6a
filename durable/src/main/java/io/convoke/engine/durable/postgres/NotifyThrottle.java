package io.convoke.engine.durable.postgres;

import java.time.Duration;

/**
 * How often other nodes are told. After a silence at once; while there is always more to tell the
 * pauses double up to {@link #MOST}: each word wakes every node, and one says as much as ten.
 */
final class NotifyThrottle {
  static final Duration LEAST = Duration.ofMillis(2);
  static final Duration MOST = Duration.ofMillis(8);

  private long last;
  private long gap = LEAST.toNanos();

  /** A pace that begins with a silence. */
  NotifyThrottle(long now) {
    this.last = now - 2 * MOST.toNanos() - 1;
  }

  /** Whether something may be told now; who is told so tells it. */
  synchronized boolean tryAcquire(long now) {
    if (now - last <= gap) {
      return false;
    }
    onNotified(now);
    return true;
  }

  /** Something was told. */
  synchronized void onNotified(long now) {
    gap = now - last <= 2 * gap ? Math.min(2 * gap, MOST.toNanos()) : LEAST.toNanos();
    last = now;
  }

  /** How long to be silent, in nanoseconds. */
  synchronized long silence(long now) {
    return Math.max(0, last + gap - now);
  }
}
