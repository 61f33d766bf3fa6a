package io.convoke.engine.dispatch;

/** What a pod does with a task. */
@FunctionalInterface
public interface AttemptHandler {
  /**
   * Runs one attempt, on a thread of its own. It is interrupted when its lease is lost or its pod
   * ends, and is to leave then without another effect; what it answers is not heard. To be told of
   * a stop, it asks {@link TaskAttempt#stopping} or registers with {@link TaskAttempt#onStop}.
   *
   * @throws Exception fails the task for good, with the exception's words
   */
  AttemptOutcome run(TaskAttempt run) throws Exception;

  /** How an attempt ended. */
  sealed interface AttemptOutcome {
    record AttemptDone() implements AttemptOutcome {}

    /** It cannot be done, now or later (seed 004: wrong access token, no more disk space). */
    record AttemptFailed(String reason) implements AttemptOutcome {}

    /** It may be done later or by another pod. */
    record AttemptRetry(String reason) implements AttemptOutcome {}
  }
}
