package io.convoke.engine.dispatch;

/**
 * The state on which the task lifecycle decides.
 *
 * @param stop whether a stop was requested; never reset
 * @param attempt number of claims; the current attempt while it runs
 * @param tries consecutive failed attempts
 */
public record TaskStateSnapshot(TaskState state, boolean stop, int attempt, int tries) {
  /** A new task. */
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

  /** After the end of an attempt. */
  TaskStateSnapshot tried(int failed) {
    return new TaskStateSnapshot(state, stop, attempt, failed);
  }
}
