package io.convoke.chaos.dispatch.rules;

import java.time.Instant;
import java.util.Optional;

/**
 * An attempt as its program noted it outside of all stores.
 *
 * @param life the process of the pod, as the scenario names it
 * @param pod the name that the pod gave itself
 * @param ended empty if it noted no end: it was killed
 * @param code what it was about to end with; empty without an end
 */
public record ObservedAttempt(
    String id,
    int number,
    String life,
    String pod,
    Instant startedAt,
    Optional<Instant> ended,
    String code) {
  /** The code of an end that somebody else asked for. */
  public static final String STOPPED = "stopped";

  boolean endedWith(String other) {
    return ended.isPresent() && code.equals(other);
  }
}
