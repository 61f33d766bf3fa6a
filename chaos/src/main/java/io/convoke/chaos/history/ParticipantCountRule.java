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
  public List<RuleViolation> check(PresenceHistory presenceHistory) {
    List<RuleViolation> findings = new ArrayList<>();
    for (ObservedPresence observedPresence : presenceHistory.observations()) {
      String where =
          "meeting " + observedPresence.meetingId() + " at " + observedPresence.answered() + ": ";
      if (observedPresence.numClients() != observedPresence.present().size()) {
        findings.add(
            ViolationKind.COUNT.found(
                where
                    + "num_clients "
                    + observedPresence.numClients()
                    + " beside "
                    + observedPresence.present()));
      }
      if (new HashSet<>(observedPresence.present()).size() != observedPresence.present().size()) {
        findings.add(
            ViolationKind.DUPLICATED.found(
                where + "a session is listed twice: " + observedPresence.present()));
      }
    }
    for (ObservedEvent event : presenceHistory.journal()) {
      event
          .numClients()
          .filter(count -> count < 0)
          .ifPresent(
              count ->
                  findings.add(
                      ViolationKind.COUNT.found("event " + event.seq() + " counts " + count)));
    }
    for (MeetingRow meeting : presenceHistory.meetings()) {
      long open =
          presenceHistory.rows().stream()
              .filter(
                  sessionRow ->
                      sessionRow.meetingId() == meeting.meetingId()
                          && sessionRow.leftAt().isEmpty())
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
