package io.convoke.chaos.history;

/**
 * One thing that is wrong with a history.
 *
 * @param kind how it counts in the summary
 * @param text what a person needs to see why
 */
public record RuleViolation(ViolationKind kind, String text) {

  /** The ways in which a history can be wrong. */
  public enum ViolationKind {
    /** A visit that nobody wrote down. */
    LOST,
    /** A visit written down twice, or told twice. */
    DUPLICATED,
    /** A stay of somebody who never came. */
    INVENTED,
    /** A stay with a wrong beginning or end. */
    INTERVAL,
    /** A count that is negative or not the number of open sessions. */
    COUNT,
    /** A session open after its end. */
    OPEN,
    /** An event that is in the journal and did not come by the stream, or the reverse. */
    GAP,
    /** A sequence that does not increase. */
    SEQUENCE,
    /** A move that the lifecycle does not have. */
    ILLEGAL,
    /** An answer that no client may get. */
    REFUSED,
    /** Done, but later than its bound. */
    LATE,
    /** Not right in time after all was quiet. */
    NOT_CONVERGED
  }
}
