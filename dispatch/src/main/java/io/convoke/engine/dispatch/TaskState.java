package io.convoke.engine.dispatch;

/** The five states of seed 004, by the names of its JSON. */
public enum TaskState {
  PENDING,
  PROCESSING,
  SUCCESS,
  FAILED,
  TIMEOUT;

  /** Whether nothing moves a task from here. */
  public boolean terminal() {
    return switch (this) {
      case PENDING, PROCESSING -> false;
      case SUCCESS, FAILED, TIMEOUT -> true;
    };
  }
}
