package io.convoke.server.recordings;

import io.convoke.engine.sql.Tx;
import java.util.Optional;

/**
 * Receives the progress of a meeting's sync, step by step, in the transaction that commits the
 * step.
 */
@FunctionalInterface
public interface SyncStepListener {

  /**
   * Takes a report; it is kept when the transaction is committed. It must not call other systems.
   */
  void report(Tx tx, SyncStepReport syncStepReport);

  /** The state of a sync. */
  enum SyncStepStatus {
    IN_PROGRESS,
    SUCCESS,
    FAILURE
  }

  /**
   * The combined state of all recordings of a meeting.
   *
   * @param error why one of them failed, if that is the state
   */
  record MeetingSyncSummary(SyncStepStatus status, Optional<String> error) {}

  /**
   * One report.
   *
   * @param recordingId whose words are synced
   * @param run counts the runs of the recording
   * @param step {@code prepare}, {@code transform}, {@code push}
   * @param status of the step
   * @param summary of the meeting, which may have more recordings than this one
   */
  record SyncStepReport(
      String recordingId,
      long meetingId,
      int run,
      String step,
      SyncStepStatus status,
      Optional<String> error,
      MeetingSyncSummary summary) {}
}
