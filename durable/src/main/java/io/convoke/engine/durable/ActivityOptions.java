package io.convoke.engine.durable;

import io.convoke.engine.durable.provider.ConcurrencyLimit;
import java.time.Duration;
import java.util.Optional;

/**
 * How an activity is run.
 *
 * @param timeout of one attempt
 * @param heartbeat the longest silence of one attempt
 * @param limit how many of a key may run at the same time, on all nodes together
 */
public record ActivityOptions(
    RetryPolicy retry,
    Optional<Duration> timeout,
    Optional<Duration> heartbeat,
    Optional<ConcurrencyLimit> limit) {
  /** One attempt without limits of time or number. */
  public static final ActivityOptions ONCE =
      new ActivityOptions(RetryPolicy.NONE, Optional.empty(), Optional.empty(), Optional.empty());

  public static ActivityOptions retried(RetryPolicy retry) {
    return new ActivityOptions(retry, Optional.empty(), Optional.empty(), Optional.empty());
  }

  public ActivityOptions within(Duration timeOfOneAttempt) {
    return new ActivityOptions(retry, Optional.of(timeOfOneAttempt), heartbeat, limit);
  }

  public ActivityOptions beating(Duration longestSilence) {
    return new ActivityOptions(retry, timeout, Optional.of(longestSilence), limit);
  }

  /**
   * At most so many activities of a key at the same time, among all workflows and nodes; the others
   * wait their turn in the order of their arrival. A place is kept until the activity has ended for
   * good: during the pauses between its attempts too, and over the death of a node.
   */
  public ActivityOptions atMost(int many, String key) {
    return new ActivityOptions(
        retry, timeout, heartbeat, Optional.of(new ConcurrencyLimit(key, many)));
  }
}
