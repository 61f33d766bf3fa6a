package io.convoke.lab.chaos.history;

import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/** Counts are the size of a set, everywhere and at all times: never negative, never off. */
final class CountRule implements Rule {

  @Override
  public List<Finding> check(History history) {
    List<Finding> findings = new ArrayList<>();
    for (Look look : history.looks()) {
      String where = "meeting " + look.meetingId() + " at " + look.answered() + ": ";
      if (look.numClients() != look.present().size()) {
        findings.add(
            new Finding(
                Kind.COUNT,
                where + "num_clients " + look.numClients() + " beside " + look.present()));
      }
      if (new HashSet<>(look.present()).size() != look.present().size()) {
        findings.add(
            new Finding(Kind.DUPLICATED, where + "a session is listed twice: " + look.present()));
      }
    }
    for (Told event : history.journal()) {
      event
          .numClients()
          .filter(count -> count < 0)
          .ifPresent(
              count ->
                  findings.add(
                      new Finding(Kind.COUNT, "event " + event.seq() + " counts " + count)));
    }
    for (MeetingRow meeting : history.meetings()) {
      long open =
          history.rows().stream()
              .filter(row -> row.meetingId() == meeting.meetingId() && row.leftAt().isEmpty())
              .count();
      if (meeting.numClients() != open) {
        findings.add(
            new Finding(
                Kind.COUNT,
                "meeting %d has num_clients %d and %d open sessions in the end"
                    .formatted(meeting.meetingId(), meeting.numClients(), open)));
      }
    }
    return findings;
  }
}
