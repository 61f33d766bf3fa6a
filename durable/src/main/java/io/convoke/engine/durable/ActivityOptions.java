package io.convoke.engine.durable;

import io.convoke.engine.durable.provider.ConcurrencyLimit;
import java.time.Duration;
import java.util.Optional;

/**
 * The options of an activity.
 *
 * @param timeout of one attempt, at least 1 ms; without it and a heartbeat, {@link
 *     Durable.Builder#attemptTimeout}
 * @param heartbeat the longest time between two heartbeats of one attempt, at least 1 ms
 * @param limit how many activities of a key may run at the same time, on all nodes together
 */
public record ActivityOptions(
    RetryPolicy retry,
    Optional<Duration> timeout,
    Optional<Duration> heartbeat,
    Optional<ConcurrencyLimit> limit) {
  /** One attempt, with the timeout of the engine, and without heartbeat and concurrency limit. */
  public static final ActivityOptions ONCE =
      new ActivityOptions(RetryPolicy.NONE, Optional.empty(), Optional.empty(), Optional.empty());

  public ActivityOptions {
    AttemptLimits.check(timeout, heartbeat);
  }

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
   * Limits how many activities of a key run at the same time, over all workflows and nodes; further
   * ones wait in FIFO order. An activity keeps its slot until it has completed or failed: during
   * the pauses between its attempts too, and when its node dies.
   */
  public ActivityOptions atMost(int many, String key) {
    return new ActivityOptions(
        retry, timeout, heartbeat, Optional.of(new ConcurrencyLimit(key, many)));
  }
}
