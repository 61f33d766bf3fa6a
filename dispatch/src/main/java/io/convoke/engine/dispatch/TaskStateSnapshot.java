package io.convoke.engine.dispatch;

/**
 * What the lifecycle of a task decides on.
 *
 * @param stop whether somebody wants it to stop; never taken back
 * @param attempt claims so far; while it runs, the number of the one that runs it
 * @param tries attempts that failed in a row
 */
public record TaskStateSnapshot(TaskState state, boolean stop, int attempt, int tries) {
  /** A task that was just taken in. */
  static final TaskStateSnapshot NEW = new TaskStateSnapshot(TaskState.PENDING, false, 0, 0);

  TaskStateSnapshot to(TaskState next) {
    return new TaskStateSnapshot(next, stop, attempt, tries);
  }

  TaskStateSnapshot stopped(TaskState next) {
    return new TaskStateSnapshot(next, true, attempt, tries);
  }

  TaskStateSnapshot claimed() {
    return new TaskStateSnapshot(TaskState.PROCESSING, false, attempt + 1, tries);
  }

  /** Its attempt is over. */
  TaskStateSnapshot tried(int failed) {
    return new TaskStateSnapshot(state, stop, attempt, failed);
  }
}
