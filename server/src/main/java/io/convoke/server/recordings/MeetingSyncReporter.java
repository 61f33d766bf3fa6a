package io.convoke.server.recordings;

import io.convoke.engine.sql.Tx;
import io.convoke.server.recordings.SyncStepListener.MeetingSyncSummary;
import io.convoke.server.recordings.SyncStepListener.SyncStepReport;
import io.convoke.server.recordings.SyncStepListener.SyncStepStatus;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * Updates the sync status of a meeting, in the transaction that moves one of its recordings.
 *
 * <p>A meeting may have several recordings, each with a workflow of its own. It is in progress
 * while one of them is being synced, failed when none is and one has failed, and synced when all
 * are in the CRM. A recording that the platform failed to make has no run and counts as none. The
 * status is computed from the rows under a lock, so that two recordings that end at the same moment
 * do not each see the other unfinished.
 */
final class MeetingSyncReporter {
  private final SyncStepListener sync;
  private final BiConsumer<Tx, Long> nothing;

  /** Whether a CRM is configured; without one there is no sync status. */
  private final boolean wanted;

  /**
   * Reports to this listener.
   *
   * @param nothing takes the meeting of a recording that is deleted before its note was sent, in
   *     that transaction
   */
  MeetingSyncReporter(SyncStepListener sync, BiConsumer<Tx, Long> nothing, boolean wanted) {
    this.sync = sync;
    this.nothing = nothing;
    this.wanted = wanted;
  }

  /** A step begins; the row shows it already. */
  void stepStarted(Tx tx, RecordingRow row, StepName step) {
    update(tx, row, step, SyncStepStatus.IN_PROGRESS, Optional.empty());
  }

  /** A step is done; the row shows it already. */
  void done(Tx tx, RecordingRow row, StepName step) {
    update(tx, row, step, SyncStepStatus.SUCCESS, Optional.empty());
  }

  /**
   * A recording failed; its row shows it already. A download or a transcription that fails leaves
   * nothing to prepare a note from, which is how it shows.
   */
  void failed(Tx tx, RecordingRow row, StepName step, String why) {
    if (step.sync()) {
      update(tx, row, step, SyncStepStatus.FAILURE, Optional.of(why));
    } else {
      String reason = step.wireName() + ": " + why;
      update(tx, row, StepName.PREPARE, SyncStepStatus.FAILURE, Optional.of(reason));
    }
  }

  /**
   * A recording was deleted; the row is as it was before. If its note was not sent, no worker will
   * send it, and the recording came to nothing.
   */
  void deleted(Tx tx, RecordingRow row) {
    if (row.steps().of(StepName.PUSH).over()) {
      return;
    }
    if (failedAlone(tx, row) || (!row.status().terminal() && onItsWay(row))) {
      StepName step =
          row.steps().of(StepName.PUSH).attempts() > 0 ? StepName.PUSH : StepName.PREPARE;
      update(tx, row, step, SyncStepStatus.FAILURE, Optional.of("the recording was deleted"));
    }
    row.meetingId().ifPresent(meeting -> nothing.accept(tx, meeting));
  }

  /**
   * Whether this recording failed, and the sync of the meeting's others has not. A sync that stays
   * failed is not reported: it may have been dismissed, or be older than the CRM.
   */
  private boolean failedAlone(Tx tx, RecordingRow row) {
    return wanted
        && row.status() == RecordingStatus.FAILED
        && row.run() > 0
        && row.meetingId()
            .filter(it -> whole(tx, it, Optional.empty()).status() != SyncStepStatus.FAILURE)
            .isPresent();
  }

  /** Whether its sync has ever started. */
  static boolean onItsWay(RecordingRow row) {
    return row.steps().of(StepName.PREPARE).attempts() > 0;
  }

  /** Has all later callers for a meeting wait for the end of this transaction. */
  static void lock(Tx tx, long meeting) {
    int _ =
        tx.sql("select pg_advisory_xact_lock(hashtextextended('convoke.recordings.sync', ?))")
            .with(meeting)
            .list(resultRow -> 1)
            .size();
  }

  private void update(
      Tx tx,
      RecordingRow row,
      StepName step,
      SyncStepStatus syncStepStatus,
      Optional<String> error) {
    if (wanted && row.meetingId().isPresent()) {
      long meeting = row.meetingId().get();
      MeetingSyncSummary meetingSyncSummary = whole(tx, meeting, error);
      sync.report(
          tx,
          new SyncStepReport(
              row.id(),
              meeting,
              row.run(),
              step.wireName(),
              syncStepStatus,
              error,
              meetingSyncSummary));
    }
  }

  /** The status computed from the rows; later callers wait for the end of this transaction. */
  private static MeetingSyncSummary whole(Tx tx, long meeting, Optional<String> error) {
    lock(tx, meeting);
    return tx.sql(
            """
            select
              count(*) filter (where status in ('ready', 'processing') and not pushed) as working,
              count(*) filter (where status = 'failed') as failed,
              count(*) as known,
              min(reason) filter (where status = 'failed') as reason
            from (
              select status, reason,
                jsonb_path_exists(steps,
                  '$[*] ? (@.name == "push" && (@.state == "done" || @.state == "skipped"))') as pushed
              from recordings
              where meeting_id = ? and deleted_at is null
                and (status = 'failed' and run > 0
                  or jsonb_path_exists(steps, '$[*] ? (@.name == "prepare" && @.attempts > 0)'))) as r
            """)
        .with(meeting)
        .one(
            resultRow -> {
              if (resultRow.longAt("working") > 0) {
                return new MeetingSyncSummary(SyncStepStatus.IN_PROGRESS, Optional.empty());
              }
              if (resultRow.longAt("failed") > 0 || resultRow.longAt("known") == 0) {
                return new MeetingSyncSummary(
                    SyncStepStatus.FAILURE, error.or(() -> resultRow.maybeText("reason")));
              }
              return new MeetingSyncSummary(SyncStepStatus.SUCCESS, Optional.empty());
            });
  }
}
