package io.convoke.engine.dispatch;

/** The states of a task (dispatch-1), by their JSON names. */
public enum TaskState {
  PENDING,
  PROCESSING,
  SUCCESS,
  FAILED,
  TIMEOUT;

  /** Whether the state is final. */
  public boolean terminal() {
    return switch (this) {
      case PENDING, PROCESSING -> false;
      case SUCCESS, FAILED, TIMEOUT -> true;
    };
  }
}
