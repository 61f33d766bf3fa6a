package io.convoke.server;

import io.convoke.engine.sql.Tx;
import io.convoke.server.recordings.Recordings;
import io.convoke.server.recordings.SyncSteps;
import io.convoke.server.sync.Applied;
import io.convoke.server.sync.Sync;
import io.convoke.server.sync.SyncStatus;
import io.convoke.server.sync.SyncUpdate;
import io.convoke.server.sync.SyncUpdate.Stepped;
import java.util.List;
import java.util.regex.Pattern;

/** How the work on recordings tells the sync status how far it is. */
record SyncReports(Sync sync) implements SyncSteps {
  private static final List<String> STEPS = List.of("prepare", "transform", "push");

  private static final Pattern OURS = Pattern.compile("[1-9][0-9]{0,17}");

  /** What is tried again is done again: all recordings of ours that failed. */
  static Sync.RetryHook retrying(Recordings recordings) {
    return (tx, record) -> {
      if (OURS.matcher(record.meetingId()).matches()) {
        int _ = recordings.retrySync(tx, Long.parseLong(record.meetingId()), "sync");
      }
    };
  }

  @Override
  public void report(Tx tx, Report report) {
    SyncUpdate.Whole whole =
        new SyncUpdate.Whole(status(report.whole().status()), report.whole().error());
    Stepped stepped =
        new Stepped(
            STEPS,
            report.step(),
            status(report.status()),
            report.error(),
            "recording:" + report.recordingId(),
            whole);
    Applied _ = sync.tell(tx, Long.toString(report.meetingId()), stepped);
  }

  private static SyncStatus status(Status status) {
    return switch (status) {
      case IN_PROGRESS -> SyncStatus.IN_PROGRESS;
      case SUCCESS -> SyncStatus.SUCCESS;
      case FAILURE -> SyncStatus.FAILURE;
    };
  }
}
