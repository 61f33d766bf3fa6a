package io.convoke.engine.dispatch;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The backoff before a task is retried: {@code base} after the first failure, doubled for each
 * further consecutive one, at most {@code max}, plus up to 10 % jitter so that tasks that failed
 * together are not retried together. The Lua scripts compute it.
 */
public record RetryBackoff(Duration base, Duration max) {
  private static final double JITTER_MAX = 0.1;

  public RetryBackoff {
    if (base.isNegative() || base.isZero() || max.compareTo(base) < 0) {
      throw new IllegalArgumentException(
          "a backoff must be positive and not longer than its maximum");
    }
  }

  /** Raises a maximum below the base to the base. */
  public static RetryBackoff of(Duration base, Duration max) {
    return new RetryBackoff(base, max.compareTo(base) < 0 ? base : max);
  }

  /** 1 s, doubled up to 30 s. */
  static RetryBackoff standard() {
    return new RetryBackoff(Duration.ofSeconds(1), Duration.ofSeconds(30));
  }

  /** The jitter of one task, as a fraction of its backoff. */
  static double jitter() {
    return ThreadLocalRandom.current().nextDouble(JITTER_MAX);
  }
}
