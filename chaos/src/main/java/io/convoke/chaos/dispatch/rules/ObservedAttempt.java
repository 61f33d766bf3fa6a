package io.convoke.chaos.dispatch.rules;

import java.time.Instant;
import java.util.Optional;

/**
 * An attempt, as its program logged it outside of all stores.
 *
 * @param life the pod's process, as the scenario names it
 * @param pod the pod's own id
 * @param ended empty without a logged end: it was killed
 * @param code its planned exit code; empty without an end
 */
public record ObservedAttempt(
    String id,
    int number,
    String life,
    String pod,
    Instant startedAt,
    Optional<Instant> ended,
    String code) {
  /** Code of an end after a stop signal. */
  public static final String STOPPED = "stopped";

  boolean endedWith(String other) {
    return ended.isPresent() && code.equals(other);
  }
}
