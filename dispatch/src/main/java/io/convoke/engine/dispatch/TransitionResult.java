package io.convoke.engine.dispatch;

/** The result of a report or a stop request. */
public enum TransitionResult {
  /** It changed the task. */
  APPLIED,
  /** The task had already changed so, or had ended. */
  REPEATED,
  /** Another attempt, or none, holds the task: the caller must stop its work. */
  STALE,
  /** The task does not exist. */
  UNKNOWN,
  /**
   * Redis did not reply, or may lack its last writes, among them another claim of the task; retry.
   */
  UNSURE;

  static TransitionResult of(Object code) {
    return switch (Math.toIntExact((Long) code)) {
      case 1 -> APPLIED;
      case 2 -> REPEATED;
      case 0 -> STALE;
      case -2 -> UNSURE;
      default -> UNKNOWN;
    };
  }
}
