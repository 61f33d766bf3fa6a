package io.convoke.chaos.kernel;

import java.util.List;

/**
 * A violation of a rule.
 *
 * @param kind its category in the summary
 * @param text details for diagnosis
 * @param rule name of the rule; empty until the checker has added it
 */
public record RuleViolation(ViolationKind kind, String text, String rule) {
  public RuleViolation(ViolationKind kind, String text) {
    this(kind, text, "");
  }

  /** The same, found by this rule. */
  public RuleViolation by(String other) {
    return new RuleViolation(kind, text, other);
  }

  /** Categories of violations. */
  public enum ViolationKind {
    /** A visit without a row. */
    LOST,
    /** A visit with two rows, or an event delivered twice. */
    DUPLICATED,
    /** A session without a visit. */
    INVENTED,
    /** A session with a wrong start or end. */
    INTERVAL,
    /** A count that is negative or differs from the number of open sessions. */
    COUNT,
    /** A session still open after its end. */
    OPEN,
    /** An event in the journal but not in the stream, or the reverse. */
    GAP,
    /** A sequence that does not increase. */
    SEQUENCE,
    /** A transition that the lifecycle does not allow. */
    ILLEGAL,
    /** A response that no client may get. */
    REFUSED,
    /** Done, but after its deadline. */
    LATE,
    /** The expected state was not reached in time after the last fault. */
    NOT_CONVERGED;

    /** A violation of this kind. */
    public RuleViolation found(String text) {
      return new RuleViolation(this, text);
    }

    /** The same with a format and its arguments. */
    public RuleViolation found(String format, Object... arguments) {
      return new RuleViolation(this, format.formatted(List.of(arguments).toArray()));
    }
  }
}
