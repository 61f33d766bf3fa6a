package io.convoke.engine.dispatch;

/** How the word of a holder, or a wish to stop, was taken. */
public enum TransitionResult {
  /** It moved the task. */
  APPLIED,
  /** The task had moved so before, or had ended. */
  REPEATED,
  /** Another attempt runs, or none: whoever said this must stop. */
  STALE,
  /** There is no such task. */
  UNKNOWN,
  /**
   * Nobody heard it, or a store that may lack what it wrote last, and with it that another was
   * given the task: to be said again.
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
