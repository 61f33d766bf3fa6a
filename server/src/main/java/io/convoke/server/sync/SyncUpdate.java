package io.convoke.server.sync;

import java.util.List;
import java.util.Optional;

/** An update of a sync. */
public sealed interface SyncUpdate {
  /** Its author: {@code internal}, {@code user:7}, a name that a job gave itself. */
  String by();

  /** By this name it stands in the lifecycle's table. */
  String label();

  /**
   * What a job posts: the status becomes the meeting's.
   *
   * @param attempt the attempt that it belongs to, if the job counts them
   * @param seq its place within the attempt, if the job counts that
   */
  record StatusPosted(
      SyncStatus status,
      Optional<String> step,
      Optional<String> jobId,
      Optional<Long> attempt,
      Optional<Long> seq,
      Optional<String> errorMessage,
      String by)
      implements SyncUpdate {
    public StatusPosted {
      if (status == SyncStatus.NOT_STARTED) {
        throw new IllegalArgumentException("not_started cannot be posted");
      }
    }

    @Override
    public String label() {
      return status.wireName();
    }
  }

  /** What all pipelines of a meeting come to, and why if that is a failure. */
  record PipelinesReported(SyncStatus status, Optional<String> errorMessage) {}

  /**
   * A step of a pipeline that declares its steps in their order. It names the meeting's status too,
   * because the runner of pipelines knows all of a meeting.
   */
  record StepReported(
      List<String> declared,
      String step,
      SyncStatus status,
      Optional<String> errorMessage,
      String by,
      PipelinesReported whole)
      implements SyncUpdate {
    public StepReported {
      declared = List.copyOf(declared);
      if (!declared.contains(step)) {
        throw new IllegalArgumentException("a step that is not declared: " + step);
      }
    }

    @Override
    public String label() {
      return "step";
    }
  }

  /** A request to begin the work again. {@code stalled}: the sync was stalled at that moment. */
  record SyncRetryRequested(boolean stalled, String by) implements SyncUpdate {
    @Override
    public String label() {
      return "retry";
    }
  }
}
