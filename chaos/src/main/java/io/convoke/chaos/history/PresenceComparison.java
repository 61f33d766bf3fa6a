package io.convoke.chaos.history;

import io.convoke.chaos.history.PresenceHistory.ObservedPresence;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Compares an API response with the participants actually in the room. */
public final class PresenceComparison {
  private PresenceComparison() {}

  /** Differences to the actual state at one instant; empty without. */
  public static Optional<String> difference(
      ObservedPresence read, List<ActualVisit> visits, String room, Instant at) {
    Set<String> there =
        visits.stream()
            .filter(visit -> visit.room().equals(room) && visit.during(at))
            .map(ActualVisit::sessionId)
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> shown = new TreeSet<>(read.present());
    if (there.equals(shown)) {
      return Optional.empty();
    }
    List<String> missing =
        visits.stream()
            .filter(visit -> there.contains(visit.sessionId()))
            .filter(visit -> !shown.contains(visit.sessionId()))
            .map(ActualVisit::story)
            .toList();
    List<String> extra =
        shown.stream()
            .filter(session -> !there.contains(session))
            .map(session -> story(session, visits))
            .toList();
    return Optional.of(
        "meeting %d (%s): present but not listed %s, listed but absent %s"
            .formatted(read.meetingId(), room, missing, extra));
  }

  private static String story(String session, List<ActualVisit> visits) {
    return visits.stream()
        .filter(visit -> visit.sessionId().equals(session))
        .map(ActualVisit::story)
        .findFirst()
        .orElse(session + " that never joined");
  }
}
