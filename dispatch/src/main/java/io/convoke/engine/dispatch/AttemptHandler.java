package io.convoke.engine.dispatch;

import java.util.Objects;

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

  /**
   * How an attempt ended. A missing reason, such as the message of an exception that has none,
   * becomes {@link #NO_REASON}; {@link TaskAttempt} bounds reasons and makes them storable.
   */
  sealed interface AttemptOutcome {
    /** The reason of an outcome that was created without one. */
    String NO_REASON = "no reason given";

    record AttemptDone() implements AttemptOutcome {}

    /** The task fails without retry, as with a wrong access token (dispatch-5). */
    record AttemptFailed(String reason) implements AttemptOutcome {
      public AttemptFailed {
        reason = Objects.requireNonNullElse(reason, NO_REASON);
      }
    }

    /** The task is retried later, possibly by another pod. */
    record AttemptRetry(String reason) implements AttemptOutcome {
      public AttemptRetry {
        reason = Objects.requireNonNullElse(reason, NO_REASON);
      }
    }

    /** Nothing was started: the task may be claimed again at once, and this was no failed try. */
    record AttemptHandedBack(String reason) implements AttemptOutcome {
      public AttemptHandedBack {
        reason = Objects.requireNonNullElse(reason, NO_REASON);
      }
    }
  }
}
