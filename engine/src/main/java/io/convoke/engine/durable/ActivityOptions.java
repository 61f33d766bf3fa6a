package io.convoke.engine.durable;

import java.time.Duration;
import java.util.Optional;

/**
 * How an activity is run.
 *
 * @param timeout of one attempt
 * @param heartbeat the longest silence of one attempt
 */
public record ActivityOptions(
    RetryPolicy retry, Optional<Duration> timeout, Optional<Duration> heartbeat) {
  /** One attempt without limits of time. */
  public static final ActivityOptions ONCE =
      new ActivityOptions(RetryPolicy.NONE, Optional.empty(), Optional.empty());

  public static ActivityOptions retried(RetryPolicy retry) {
    return new ActivityOptions(retry, Optional.empty(), Optional.empty());
  }

  public ActivityOptions within(Duration timeOfOneAttempt) {
    return new ActivityOptions(retry, Optional.of(timeOfOneAttempt), heartbeat);
  }

  public ActivityOptions beating(Duration longestSilence) {
    return new ActivityOptions(retry, timeout, Optional.of(longestSilence));
  }
}
