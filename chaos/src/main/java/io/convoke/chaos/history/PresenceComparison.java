package io.convoke.chaos.history;

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
      ObservedPresence observedPresence, List<ActualVisit> visits, String room, Instant at) {
    Set<String> there =
        visits.stream()
            .filter(actualVisit -> actualVisit.room().equals(room) && actualVisit.during(at))
            .map(ActualVisit::sessionId)
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> shown = new TreeSet<>(observedPresence.present());
    if (there.equals(shown)) {
      return Optional.empty();
    }
    List<String> missing =
        visits.stream()
            .filter(actualVisit -> there.contains(actualVisit.sessionId()))
            .filter(actualVisit -> !shown.contains(actualVisit.sessionId()))
            .map(ActualVisit::story)
            .toList();
    List<String> extra =
        shown.stream()
            .filter(session -> !there.contains(session))
            .map(session -> story(session, visits))
            .toList();
    return Optional.of(
        "meeting %d (%s): present but not listed %s, listed but absent %s"
            .formatted(observedPresence.meetingId(), room, missing, extra));
  }

  private static String story(String session, List<ActualVisit> visits) {
    return visits.stream()
        .filter(actualVisit -> actualVisit.sessionId().equals(session))
        .map(ActualVisit::story)
        .findFirst()
        .orElse(session + " that never joined");
  }
}
