package io.convoke.agent.pod;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;

/** Runs tasks of one type. */
@FunctionalInterface
public interface TaskHandler {
  /**
   * Runs one attempt on its own thread. The handler watches {@link TaskContext#awaitStop} or {@link
   * TaskContext#onStop}; its thread is interrupted when the lease is lost or the pod ends, and it
   * then returns without further effects. External effects happen at least once, so names of files
   * and sessions carry the attempt.
   *
   * @throws Exception fails the task without retry, with the exception as the reason
   */
  AttemptOutcome run(TaskContext task) throws Exception;
}
