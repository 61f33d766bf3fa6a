package io.convoke.engine.dispatch;

/** What a pod does with a task. */
@FunctionalInterface
public interface Handler {
  /**
   * Runs one attempt, on a thread of its own. It is interrupted when its lease is lost or its pod
   * ends, and is to leave then without another effect; what it answers is not heard. To be told of
   * a stop, it asks {@link TaskRun#stopping} or registers with {@link TaskRun#onStop}.
   *
   * @throws Exception fails the task for good, with the exception's words
   */
  Outcome run(TaskRun run) throws Exception;

  /** How an attempt ended. */
  sealed interface Outcome {
    record Done() implements Outcome {}

    /** It cannot be done, now or later (seed 004: wrong access token, no more disk space). */
    record Failed(String reason) implements Outcome {}

    /** It may be done later or by another pod. */
    record TryAgain(String reason) implements Outcome {}
  }
}
