package io.convoke.server;

import io.convoke.engine.sql.Tx;
import io.convoke.server.meetingsync.MeetingSyncFeature;
import io.convoke.server.recordings.RecordingsFeature;
import io.convoke.server.recordings.SyncStepListener;
import io.convoke.server.sync.SyncFeature;
import io.convoke.server.sync.SyncStatus;
import io.convoke.server.sync.SyncUpdate;
import io.convoke.server.sync.SyncUpdate.StepReported;
import io.convoke.server.sync.SyncUpdateResult;
import java.util.List;
import java.util.regex.Pattern;

/** Reports the steps of recordings to the sync status. */
record RecordingSyncReporter(SyncFeature sync) implements SyncStepListener {
  private static final List<String> STEPS = List.of("prepare", "transform", "push");

  private static final Pattern OURS = Pattern.compile("[1-9][0-9]{0,17}");

  /** A retry of the sync retries the meeting's failed recordings, and its sync without one. */
  static SyncFeature.RetryHook retrying(
      RecordingsFeature recordingsFeature, MeetingSyncFeature meetingSyncFeature) {
    return (tx, was) -> {
      if (!OURS.matcher(was.meetingId()).matches()) {
        return false;
      }
      long meeting = Long.parseLong(was.meetingId());
      int again = recordingsFeature.retrySync(tx, meeting, "sync");
      return again > 0
          || recordingsFeature.syncing(tx, meeting)
          || meetingSyncFeature.retry(
              tx, meeting, recordingsFeature.maySync(tx, meeting), was.lastSyncedBy());
    };
  }

  @Override
  public void report(Tx tx, SyncStepReport syncStepReport) {
    SyncUpdate.PipelinesReported pipelinesReported =
        new SyncUpdate.PipelinesReported(
            status(syncStepReport.summary().status()), syncStepReport.summary().error());
    StepReported stepReported =
        new StepReported(
            STEPS,
            syncStepReport.step(),
            status(syncStepReport.status()),
            syncStepReport.error(),
            "recording:" + syncStepReport.recordingId(),
            pipelinesReported);
    SyncUpdateResult _ = sync.apply(tx, Long.toString(syncStepReport.meetingId()), stepReported);
  }

  private static SyncStatus status(SyncStepStatus syncStepStatus) {
    return switch (syncStepStatus) {
      case IN_PROGRESS -> SyncStatus.IN_PROGRESS;
      case SUCCESS -> SyncStatus.SUCCESS;
      case FAILURE -> SyncStatus.FAILURE;
    };
  }
}
