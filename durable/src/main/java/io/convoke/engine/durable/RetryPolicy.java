package io.convoke.engine.durable;

import io.convoke.engine.wake.CappedTime;
import java.time.Duration;

/**
 * How often a failed activity is retried, and the pauses in between.
 *
 * @param attemptsMax including the first; attempts that a crash ended count too
 * @param first the pause after the first attempt
 * @param factor by which each pause is longer than the one before
 * @param most the longest pause
 */
public record RetryPolicy(int attemptsMax, Duration first, double factor, Duration most) {
  private static final Duration PAUSE_MAX = Duration.ofMinutes(5);

  /** One attempt. */
  public static final RetryPolicy NONE = new RetryPolicy(1, Duration.ZERO, 1, Duration.ZERO);

  /** Each pause is twice as long as the one before, up to five minutes or a longer first one. */
  public static RetryPolicy attempts(int most, Duration firstPause) {
    Duration longest = firstPause.compareTo(PAUSE_MAX) < 0 ? PAUSE_MAX : firstPause;
    return new RetryPolicy(most, firstPause, 2, longest);
  }

  public RetryPolicy {
    if (attemptsMax < 1 || factor < 1 || first.isNegative()) {
      throw new IllegalArgumentException("a policy has at least one attempt and growing pauses");
    }
  }

  /** The pause after an attempt, counted from 1. */
  public Duration after(int attempt) {
    double millis = CappedTime.millis(first) * Math.pow(factor, attempt - 1.0);
    return Duration.ofMillis(Math.min(Math.round(millis), CappedTime.millis(most)));
  }
}
