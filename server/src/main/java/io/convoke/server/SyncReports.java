package io.convoke.server;

import io.convoke.server.recordings.Recordings;
import io.convoke.server.recordings.SyncSteps;
import io.convoke.server.sync.Applied;
import io.convoke.server.sync.RetryHook;
import io.convoke.server.sync.Sync;
import io.convoke.server.sync.SyncStatus;
import io.convoke.server.sync.SyncUpdate.Stepped;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * How the work on recordings tells the sync status how far it is. A step that begins takes back
 * what an earlier run or another recording of the meeting had said of it and of all that come after
 * it: success is then the success of this run.
 */
record SyncReports(Sync sync) implements SyncSteps {
  private static final List<String> STEPS = List.of("prepare", "transform", "push");

  private static final Pattern OURS = Pattern.compile("[1-9][0-9]{0,17}");

  /** What is tried again is done again, if it was the work on a recording of ours that failed. */
  static RetryHook retrying(Recordings recordings) {
    return (tx, record) -> {
      if (OURS.matcher(record.meetingId()).matches()) {
        boolean _ = recordings.retrySync(tx, Long.parseLong(record.meetingId()), "sync");
      }
    };
  }

  @Override
  public void report(Report report) {
    report.meetingId().map(String::valueOf).ifPresent(meeting -> tell(meeting, report));
  }

  private void tell(String meeting, Report report) {
    String by = "recording:" + report.recordingId();
    switch (report.status()) {
      case IN_PROGRESS ->
          STEPS.subList(STEPS.indexOf(report.step()), STEPS.size()).reversed().stream()
              .map(step -> new Stepped(STEPS, step, SyncStatus.IN_PROGRESS, Optional.empty(), by))
              .forEach(update -> tell(meeting, update));
      case SUCCESS ->
          tell(
              meeting, new Stepped(STEPS, report.step(), SyncStatus.SUCCESS, Optional.empty(), by));
      case FAILURE ->
          tell(meeting, new Stepped(STEPS, report.step(), SyncStatus.FAILURE, report.error(), by));
    }
  }

  private void tell(String meeting, Stepped update) {
    Applied _ = sync.tell(meeting, update);
  }
}
