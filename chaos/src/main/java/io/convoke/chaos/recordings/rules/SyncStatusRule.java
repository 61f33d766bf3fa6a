package io.convoke.chaos.recordings.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A meeting's sync matches its recordings: failed if one was refused by the transcriber or the CRM,
 * otherwise succeeded if one reached the CRM. Within an attempt it never goes back.
 */
final class SyncStatusRule implements Rule<RecordingHistory> {
  @Override
  public List<RuleViolation> check(RecordingHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Set<Long> meetings =
        history.rows().stream()
            .flatMap(recordingEndState -> recordingEndState.meeting().stream())
            .collect(Collectors.toSet());
    history.syncs().forEach(sync -> meetings.add(sync.meeting()));
    for (long meeting : meetings) {
      String wanted = wanted(history, meeting);
      SyncRow row =
          history.syncs().stream()
              .filter(sync -> sync.meeting() == meeting)
              .findFirst()
              .orElse(new SyncRow(meeting, "not_started", 0, 0));
      if (!row.status().equals(wanted)) {
        findings.add(
            (row.status().equals("in_progress") ? ViolationKind.OPEN : ViolationKind.ILLEGAL)
                .found("the sync of meeting %d is %s, expected %s", meeting, row.status(), wanted));
      }
      findings.addAll(story(history, row));
    }
    return findings;
  }

  private static String wanted(RecordingHistory history, long meeting) {
    Set<ExpectedRecording.ExpectedEnd> ends =
        history.expectedRecordings().stream()
            .filter(
                expected ->
                    history
                        .row(expected.id())
                        .flatMap(RecordingEndState::meeting)
                        .filter(it -> it == meeting)
                        .isPresent())
            .map(ExpectedRecording::end)
            .collect(Collectors.toSet());
    if (ends.contains(ExpectedRecording.ExpectedEnd.UNWELCOME)
        || ends.contains(ExpectedRecording.ExpectedEnd.UNHEARD)) {
      return "failure";
    }
    return ends.contains(ExpectedRecording.ExpectedEnd.DONE) ? "success" : "not_started";
  }

  private static List<RuleViolation> story(RecordingHistory history, SyncRow row) {
    List<RuleViolation> findings = new ArrayList<>();
    SyncTransition last = new SyncTransition(0, row.meeting(), 0, "", "not_started", 0);
    for (SyncTransition transition : history.syncMoves()) {
      if (transition.meeting() != row.meeting()) {
        continue;
      }
      if (transition.version() != last.version() + 1 || !transition.from().equals(last.to())) {
        findings.add(ViolationKind.GAP.found(transition + " after " + last));
      }
      boolean over = last.to().equals("success") || last.to().equals("failure");
      if (transition.attempts() < last.attempts()
          || (over
              && transition.to().equals("in_progress")
              && transition.attempts() == last.attempts())) {
        findings.add(ViolationKind.SEQUENCE.found("went back: " + transition + " after " + last));
      }
      last = transition;
    }
    if (!row.status().equals(last.to()) || row.version() != last.version()) {
      findings.add(ViolationKind.GAP.found(row + ", the journal's last is " + last));
    }
    return findings;
  }
}
