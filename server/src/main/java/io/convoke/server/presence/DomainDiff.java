package io.convoke.server.presence;

import io.convoke.server.platform.DomainPresence;
import io.convoke.server.platform.Participant;
import io.convoke.server.presence.MeetingQueries.MeetingPresenceSummary;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Compares the platform's presence of all rooms with the stored open sessions. It opens and closes
 * no session: a meeting that differs is polled, a meeting that agrees counts as confirmed.
 */
record DomainDiff(List<Long> differing, List<Long> agreeing) {

  static DomainDiff compare(
      List<MeetingPresenceSummary> standings, DomainPresence.DomainPresenceKnown domain) {
    List<Long> differing = new ArrayList<>();
    List<Long> agreeing = new ArrayList<>();
    for (MeetingPresenceSummary meetingPresenceSummary : standings) {
      Set<String> shown = new HashSet<>();
      for (Participant person : domain.in(meetingPresenceSummary.meeting().room())) {
        shown.add(person.sessionId());
      }
      Set<String> held = Set.copyOf(meetingPresenceSummary.open());
      Set<String> difference = new HashSet<>(shown);
      difference.removeAll(held);
      held.stream().filter(session -> !shown.contains(session)).forEach(difference::add);
      if (difference.isEmpty()) {
        agreeing.add(meetingPresenceSummary.meeting().id());
      } else if (!Set.copyOf(meetingPresenceSummary.explained()).containsAll(difference)) {
        differing.add(meetingPresenceSummary.meeting().id());
      }
    }
    return new DomainDiff(List.copyOf(differing), List.copyOf(agreeing));
  }
}
