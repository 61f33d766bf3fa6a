package io.convoke.lab.chaos.bots;

import io.convoke.lab.chaos.bots.verdict.Deadlines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * All that will happen in a run.
 *
 * @param limits of each user's bots
 * @param wishes of users, in order of time
 * @param disturbances of servers and Redis, in order of time
 * @param path how callbacks fare
 * @param engine how calls to the Docker engine fare; empty without one
 * @param ghosts after the end: how long is waited, each time, until old callbacks come again
 */
record Plan(
    long seed,
    List<Integer> limits,
    List<Step.Wish> wishes,
    List<Step> disturbances,
    FaultyRelay.Chances path,
    Optional<EngineRelay.Chances> engine,
    List<Duration> ghosts) {

  /** How long each state may last. */
  Deadlines deadlines() {
    return engine.isPresent() ? Terms.CONTAINER_DEADLINES : Terms.DEADLINES;
  }

  /** The plan for people. */
  List<String> lines() {
    Map<Kind, Integer> kinds = new EnumMap<>(Kind.class);
    wishes.forEach(wish -> kinds.merge(Kind.of(wish.room()), 1, Integer::sum));
    List<String> lines = new ArrayList<>();
    lines.add(
        "seed %d: %d users with limits %s, %d wishes, %d requests to start"
            .formatted(
                seed,
                limits.size(),
                limits,
                wishes.size(),
                wishes.stream().mapToInt(Step.Wish::times).sum()));
    lines.add(
        "  rooms and launches: "
            + kinds.entrySet().stream()
                .map(entry -> entry.getValue() + " " + entry.getKey().word())
                .collect(Collectors.joining(", ")));
    lines.add("  callbacks: " + path);
    engine.ifPresent(chances -> lines.add("  the Docker engine: " + chances));
    lines.add(
        "  bots: "
            + wishes.stream()
                .filter(wish -> wish.fate() != Fate.NONE)
                .map(wish -> wish.room() + " " + wish.fate().words())
                .collect(Collectors.joining(", ")));
    lines.add(
        "  when all is over: old callbacks come again after "
            + ghosts.stream()
                .map(wait -> wait.toSeconds() + " s")
                .collect(Collectors.joining(" and after ")));
    disturbances.forEach(step -> lines.add("  " + step));
    return lines;
  }
}
