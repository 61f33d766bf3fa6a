package io.convoke.server.sync;

import java.util.List;
import java.util.Optional;

/** What somebody tells of a sync. */
public sealed interface SyncUpdate {
  /** Who tells it: {@code internal}, {@code user:7}, a name that a job gave itself. */
  String by();

  /** By this name it stands in the lifecycle's table. */
  String label();

  /**
   * A job's own word (CONTRACT.md, Sync status): the status becomes the meeting's.
   *
   * @param attempt the attempt that it belongs to, if the job counts them
   * @param seq its place within the attempt, if the job counts that
   */
  record Posted(
      SyncStatus status,
      Optional<String> step,
      Optional<String> jobId,
      Optional<Long> attempt,
      Optional<Long> seq,
      Optional<String> errorMessage,
      String by)
      implements SyncUpdate {
    public Posted {
      if (status == SyncStatus.NOT_STARTED) {
        throw new IllegalArgumentException("nobody can tell that nothing was told");
      }
    }

    @Override
    public String label() {
      return status.word();
    }
  }

  /** What all pipelines of a meeting come to, and why if that is a failure. */
  record Whole(SyncStatus status, Optional<String> errorMessage) {}

  /**
   * A step of a pipeline that declares its steps in their order. It says itself what the meeting's
   * status is: whoever runs pipelines knows all that a meeting has.
   */
  record Stepped(
      List<String> declared,
      String step,
      SyncStatus status,
      Optional<String> errorMessage,
      String by,
      Whole whole)
      implements SyncUpdate {
    public Stepped {
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

  /** Somebody wants it done again. {@code stalled}: it had stood still when that was asked. */
  record Retry(boolean stalled, String by) implements SyncUpdate {
    @Override
    public String label() {
      return "retry";
    }
  }
}
