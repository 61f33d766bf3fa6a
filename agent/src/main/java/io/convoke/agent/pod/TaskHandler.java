package io.convoke.agent.pod;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;

/** What a pod does with tasks of one type. */
@FunctionalInterface
public interface TaskHandler {
  /**
   * Runs one attempt, on a thread of its own. It watches {@link TaskContext#awaitStop} or {@link
   * TaskContext#onStop}; it is interrupted when its lease is lost or its pod ends, and leaves then
   * without another effect. What it does outside happens at least once: names of files and sessions
   * carry the attempt.
   *
   * @throws Exception fails the task for good, with the exception's words
   */
  AttemptOutcome run(TaskContext task) throws Exception;
}
