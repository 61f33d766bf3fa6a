package io.convoke.engine.dispatch;

/**
 * What the lifecycle of a task decides on.
 *
 * @param stop whether somebody wants it to stop; never taken back
 * @param attempt claims so far; while it runs, the number of the one that runs it
 * @param tries attempts that failed in a row
 */
public record TaskLife(TaskState state, boolean stop, int attempt, int tries) {
  /** A task that was just taken in. */
  static final TaskLife NEW = new TaskLife(TaskState.PENDING, false, 0, 0);

  TaskLife to(TaskState next) {
    return new TaskLife(next, stop, attempt, tries);
  }

  TaskLife stopped(TaskState next) {
    return new TaskLife(next, true, attempt, tries);
  }

  TaskLife claimed() {
    return new TaskLife(TaskState.PROCESSING, false, attempt + 1, tries);
  }

  /** Its attempt is over. */
  TaskLife tried(int failed) {
    return new TaskLife(state, stop, attempt, failed);
  }
}
