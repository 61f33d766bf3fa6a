package io.convoke.server.sync;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** An update of a sync. */
public sealed interface SyncUpdate {
  /** The author: {@code internal}, {@code user:7}, or a job's own name. */
  String by();

  /** Its label in the transition table. */
  String label();

  /**
   * A status posted by a job.
   *
   * @param attempt its attempt, if the job numbers them
   * @param seq its sequence number within the attempt, if the job has one
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

  /** The combined status of all pipelines of a meeting, and the error of a failure. */
  record PipelinesReported(SyncStatus status, Optional<String> errorMessage) {}

  /**
   * A step of a pipeline that declares its steps in their order. It includes the meeting's status,
   * because the pipeline runner knows all pipelines of the meeting.
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
        throw new IllegalArgumentException("undeclared step: " + step);
      }
    }

    @Override
    public String label() {
      return "step";
    }
  }

  /** A request to retry. {@code stallAfter}: how long a sync in progress may be silent. */
  record SyncRetryRequested(Duration stallAfter, String by) implements SyncUpdate {
    @Override
    public String label() {
      return "retry";
    }
  }
}
