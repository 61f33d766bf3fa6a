package io.convoke.chaos.history;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/** Counts always equal the number of open sessions and are never negative. */
final class ParticipantCountRule implements Rule<PresenceHistory> {

  @Override
  public List<RuleViolation> check(PresenceHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (ObservedPresence read : history.observations()) {
      String where = "meeting " + read.meetingId() + " at " + read.answered() + ": ";
      if (read.numClients() != read.present().size()) {
        findings.add(
            ViolationKind.COUNT.found(
                where + "num_clients " + read.numClients() + " beside " + read.present()));
      }
      if (new HashSet<>(read.present()).size() != read.present().size()) {
        findings.add(
            ViolationKind.DUPLICATED.found(where + "a session is listed twice: " + read.present()));
      }
    }
    for (ObservedEvent event : history.journal()) {
      event
          .numClients()
          .filter(count -> count < 0)
          .ifPresent(
              count ->
                  findings.add(
                      ViolationKind.COUNT.found("event " + event.seq() + " counts " + count)));
    }
    for (MeetingRow meeting : history.meetings()) {
      long open =
          history.rows().stream()
              .filter(row -> row.meetingId() == meeting.meetingId() && row.leftAt().isEmpty())
              .count();
      if (meeting.numClients() != open) {
        findings.add(
            ViolationKind.COUNT.found(
                "meeting %d has num_clients %d and %d open sessions at the end",
                meeting.meetingId(), meeting.numClients(), open));
      }
    }
    return findings;
  }
}
