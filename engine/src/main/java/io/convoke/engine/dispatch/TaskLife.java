package io.convoke.engine.dispatch;

/**
 * What the lifecycle of a task decides on.
 *
 * @param stop whether somebody wants it to stop; never taken back
 * @param attempt claims so far; while it runs, the number of the one that runs it
 */
public record TaskLife(TaskState state, boolean stop, int attempt) {
  /** A task that was just taken in. */
  static final TaskLife NEW = new TaskLife(TaskState.PENDING, false, 0);

  TaskLife to(TaskState next) {
    return new TaskLife(next, stop, attempt);
  }
}
