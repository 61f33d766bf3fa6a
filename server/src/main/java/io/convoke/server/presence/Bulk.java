package io.convoke.server.presence;

import io.convoke.server.platform.DomainPresence;
import io.convoke.server.platform.Participant;
import io.convoke.server.presence.MeetingRows.Standing;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Compares what the platform shows for all rooms with what we hold. It closes and opens nothing: a
 * difference is a reason to ask for the room, agreement is a proof.
 */
record Bulk(List<Long> differing, List<Long> agreeing) {

  static Bulk compare(List<Standing> standings, DomainPresence.Known domain) {
    List<Long> differing = new ArrayList<>();
    List<Long> agreeing = new ArrayList<>();
    for (Standing standing : standings) {
      Set<String> shown = new HashSet<>();
      for (Participant person : domain.in(standing.meeting().room())) {
        shown.add(person.sessionId());
      }
      Set<String> held = Set.copyOf(standing.open());
      Set<String> difference = new HashSet<>(shown);
      difference.removeAll(held);
      held.stream().filter(session -> !shown.contains(session)).forEach(difference::add);
      if (difference.isEmpty()) {
        agreeing.add(standing.meeting().id());
      } else if (!Set.copyOf(standing.explained()).containsAll(difference)) {
        differing.add(standing.meeting().id());
      }
    }
    return new Bulk(List.copyOf(differing), List.copyOf(agreeing));
  }
}
