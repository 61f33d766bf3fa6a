package io.convoke.engine.dispatch;

/** Runs the tasks of a pod. */
@FunctionalInterface
public interface AttemptHandler {
  /**
   * Runs one attempt on its own thread. The thread is interrupted when the lease is lost or the pod
   * ends; the handler then returns without further effects and its outcome is ignored. To react to
   * a stop request, the handler polls {@link TaskAttempt#stopping} or registers with {@link
   * TaskAttempt#onStop}.
   *
   * @throws Exception fails the task without retry, with the exception as the reason
   */
  AttemptOutcome run(TaskAttempt run) throws Exception;

  /** How an attempt ended. */
  sealed interface AttemptOutcome {
    record AttemptDone() implements AttemptOutcome {}

    /** The task fails without retry, as with a wrong access token or a full disk (dispatch-5). */
    record AttemptFailed(String reason) implements AttemptOutcome {}

    /** The task is retried later, possibly by another pod. */
    record AttemptRetry(String reason) implements AttemptOutcome {}

    /** Nothing was started: the task may be claimed again at once, and this was no failed try. */
    record AttemptHandedBack(String reason) implements AttemptOutcome {}
  }
}
