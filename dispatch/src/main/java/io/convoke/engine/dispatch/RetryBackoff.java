package io.convoke.engine.dispatch;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long a task waits before it is tried again: {@code base} after the first try that failed,
 * twice as long after each further one in a row, {@code max} at most, and up to a tenth longer so
 * that tasks that failed together are not tried together. The functions in Redis do the arithmetic.
 */
public record RetryBackoff(Duration base, Duration max) {
  private static final double JITTER_MAX = 0.1;

  public RetryBackoff {
    if (base.isNegative() || base.isZero() || max.compareTo(base) < 0) {
      throw new IllegalArgumentException(
          "a backoff is longer than nothing and no longer than its maximum");
    }
  }

  /** A maximum that is shorter than the base is the base. */
  public static RetryBackoff of(Duration base, Duration max) {
    return new RetryBackoff(base, max.compareTo(base) < 0 ? base : max);
  }

  /** 1 s, doubled up to 30 s. */
  static RetryBackoff standard() {
    return new RetryBackoff(Duration.ofSeconds(1), Duration.ofSeconds(30));
  }

  /** By how much more than its backoff one task waits, as a fraction of it. */
  static double jitter() {
    return ThreadLocalRandom.current().nextDouble(JITTER_MAX);
  }
}
