package io.convoke.engine.durable;

import java.time.Duration;
import java.util.Optional;

/**
 * How a node runs the jobs of a name. The node that runs a job decides, also on jobs that were
 * enqueued before its options changed.
 *
 * @param retry after its last attempt a failed job is a {@link DeadJob}
 * @param timeout of one attempt, at least 1 ms; without it and a heartbeat, {@link
 *     Durable.Builder#attemptTimeout}
 * @param heartbeat the longest time between two heartbeats of one attempt, at least 1 ms
 * @param workers how many of its jobs this node runs at a time; empty is as many as activities
 * @param platformThreads whether each worker is a thread of the operating system
 */
public record JobOptions(
    RetryPolicy retry,
    Optional<Duration> timeout,
    Optional<Duration> heartbeat,
    Optional<Integer> workers,
    boolean platformThreads) {
  /** Ten attempts within about nine minutes, with the timeout of the engine. */
  public static final JobOptions STANDARD =
      new JobOptions(
          RetryPolicy.attempts(10, Duration.ofSeconds(1)),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          false);

  public JobOptions {
    AttemptLimits.check(timeout, heartbeat);
    if (workers.isPresent() && workers.get() < 1) {
      throw new IllegalArgumentException("a node that registers a job has at least one worker");
    }
  }

  public static JobOptions retried(RetryPolicy retry) {
    return new JobOptions(retry, Optional.empty(), Optional.empty(), Optional.empty(), false);
  }

  public JobOptions within(Duration timeOfOneAttempt) {
    return new JobOptions(
        retry, Optional.of(timeOfOneAttempt), heartbeat, workers, platformThreads);
  }

  public JobOptions beating(Duration longestSilence) {
    return new JobOptions(retry, timeout, Optional.of(longestSilence), workers, platformThreads);
  }

  /** How many jobs of the name this node runs at a time. */
  public JobOptions workers(int many) {
    return new JobOptions(retry, timeout, heartbeat, Optional.of(many), platformThreads);
  }

  /**
   * Runs the jobs on threads of the operating system: for jobs that compute for longer than a few
   * milliseconds, which on virtual threads would delay everything else that runs on those.
   */
  public JobOptions onPlatformThreads() {
    return new JobOptions(retry, timeout, heartbeat, workers, true);
  }
}
