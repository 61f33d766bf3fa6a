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
    Set<String> missing = new TreeSet<>(there);
    missing.removeAll(shown);
    Set<String> extra = new TreeSet<>(shown);
    extra.removeAll(there);
    return Optional.of(
        "meeting %d (%s): there but not shown %s, shown but gone %s"
            .formatted(look.meetingId(), room, missing, extra));
  }
}
