package io.convoke.engine.durable;

import java.time.Duration;
import java.util.Optional;

/** Limits of the time of one attempt, which the store has in milliseconds. */
final class AttemptLimits {
  private static final Duration LEAST = Duration.ofMillis(1);

  private AttemptLimits() {}

  /** Checks what an activity or a job sets. */
  static void check(Optional<Duration> timeout, Optional<Duration> heartbeat) {
    timeout.ifPresent(limit -> check("a timeout", limit));
    heartbeat.ifPresent(limit -> check("the time between heartbeats", limit));
  }

  /**
   * Checks a limit: in the store 0 ms is no limit.
   *
   * @throws IllegalArgumentException if it is shorter than 1 ms
   */
  static void check(String what, Duration limit) {
    if (limit.compareTo(LEAST) < 0) {
      throw new IllegalArgumentException(what + " is at least 1 ms: " + limit);
    }
  }
}
