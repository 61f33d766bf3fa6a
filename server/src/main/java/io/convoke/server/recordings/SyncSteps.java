package io.convoke.server.recordings;

import io.convoke.server.recordings.RecordingWorkflow.Order;
import java.util.Optional;

/**
 * Who is told how the sync of a meeting goes, step by step. A report may come more than once; its
 * attempt and its sequence put it in order.
 */
@FunctionalInterface
public interface SyncSteps {

  /**
   * Takes a report; when this returns it is kept.
   *
   * @throws io.convoke.engine.sql.StoreUnavailable when it is not; the step is tried again
   */
  void report(Report report);

  /** How a sync stands. */
  enum Status {
    IN_PROGRESS,
    SUCCESS,
    FAILURE
  }

  /**
   * One report.
   *
   * @param recordingId whose words are synced
   * @param jobId the workflow of this attempt
   * @param attempt counts the runs of the recording
   * @param seq grows within an attempt
   * @param step {@code prepare}, {@code transform}, {@code push}
   */
  record Report(
      String recordingId,
      Optional<Long> meetingId,
      String jobId,
      int attempt,
      int seq,
      String step,
      Status status,
      Optional<String> error) {

    static Report of(StepClaim claim, StepName step, Status status) {
      return of(claim.order(), claim.row().meetingId(), step, status, Optional.empty());
    }

    private static Report of(
        Order order,
        Optional<Long> meetingId,
        StepName step,
        Status status,
        Optional<String> error) {
      int seq = 2 * step.place() + (status == Status.IN_PROGRESS ? 0 : 1);
      return new Report(
          order.recordingId(),
          meetingId,
          order.workflow(),
          order.run(),
          seq,
          step.word(),
          status,
          error);
    }

    static Report failure(Order order, Optional<Long> meetingId, StepName step, String why) {
      return of(order, meetingId, step, Status.FAILURE, Optional.of(why));
    }
  }
}
