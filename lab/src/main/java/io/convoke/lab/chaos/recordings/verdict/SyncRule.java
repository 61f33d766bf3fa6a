package io.convoke.lab.chaos.recordings.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A meeting's sync ends as its recordings did: it failed if one of them did not get to the CRM, and
 * otherwise succeeded if one did. Within an attempt it never goes back.
 */
final class SyncRule implements RecordingRule {
  @Override
  public List<Finding> check(RecordingHistory history) {
    List<Finding> findings = new ArrayList<>();
    Set<Long> meetings =
        history.rows().stream().flatMap(row -> row.meeting().stream()).collect(Collectors.toSet());
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
            new Finding(
                row.status().equals("in_progress") ? Kind.OPEN : Kind.ILLEGAL,
                "the sync of meeting %d is %s and must be %s"
                    .formatted(meeting, row.status(), wanted)));
      }
      findings.addAll(story(history, row));
    }
    return findings;
  }

  private static String wanted(RecordingHistory history, long meeting) {
    Set<Truth.End> ends =
        history.truths().stream()
            .filter(
                truth ->
                    history
                        .row(truth.id())
                        .flatMap(Row::meeting)
                        .filter(it -> it == meeting)
                        .isPresent())
            .map(Truth::end)
            .collect(Collectors.toSet());
    if (ends.contains(Truth.End.UNWELCOME)) {
      return "failure";
    }
    return ends.contains(Truth.End.DONE) ? "success" : "not_started";
  }

  private static List<Finding> story(RecordingHistory history, SyncRow row) {
    List<Finding> findings = new ArrayList<>();
    SyncMove last = new SyncMove(0, row.meeting(), 0, "", "not_started", 0);
    for (SyncMove move : history.syncMoves()) {
      if (move.meeting() != row.meeting()) {
        continue;
      }
      if (move.version() != last.version() + 1 || !move.from().equals(last.to())) {
        findings.add(new Finding(Kind.GAP, move + " after " + last));
      }
      boolean over = last.to().equals("success") || last.to().equals("failure");
      if (move.attempts() < last.attempts()
          || (over && move.to().equals("in_progress") && move.attempts() == last.attempts())) {
        findings.add(new Finding(Kind.SEQUENCE, "went back: " + move + " after " + last));
      }
      last = move;
    }
    if (!row.status().equals(last.to()) || row.version() != last.version()) {
      findings.add(new Finding(Kind.GAP, row + ", and the journal's last is " + last));
    }
    return findings;
  }
}
