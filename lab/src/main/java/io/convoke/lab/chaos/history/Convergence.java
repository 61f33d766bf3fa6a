package io.convoke.lab.chaos.history;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Compares one answer with who was really in the room. */
public final class Convergence {
  private Convergence() {}

  /** How an answer differs from the truth at one instant; empty when it does not. */
  public static Optional<String> difference(
      Look look, List<Visit> visits, String room, Instant at) {
    Set<String> there =
        visits.stream()
            .filter(visit -> visit.room().equals(room) && visit.during(at))
            .map(Visit::sessionId)
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> shown = new TreeSet<>(look.present());
    if (there.equals(shown)) {
      return Optional.empty();
    }
    List<String> missing =
        visits.stream()
            .filter(visit -> there.contains(visit.sessionId()))
            .filter(visit -> !shown.contains(visit.sessionId()))
            .map(Visit::story)
            .toList();
    List<String> extra =
        shown.stream()
            .filter(session -> !there.contains(session))
            .map(session -> story(session, visits))
            .toList();
    return Optional.of(
        "meeting %d (%s): there but not shown %s, shown but gone %s"
            .formatted(look.meetingId(), room, missing, extra));
  }

  private static String story(String session, List<Visit> visits) {
    return visits.stream()
        .filter(visit -> visit.sessionId().equals(session))
        .map(Visit::story)
        .findFirst()
        .orElse(session + " who never came");
  }
}
