package io.convoke.lab.chaos.durable;

import io.convoke.lab.chaos.durable.verdict.Restart;
import io.convoke.lab.chaos.durable.verdict.Tried;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What was done to the nodes, and how soon others went on with what the dead held. */
final class Struck {
  /**
   * A node was killed.
   *
   * @param held keys that it held, by the rows of the queue
   * @param others nodes that worked then
   */
  private record Kill(String node, Instant at, List<String> held, List<String> others) {}

  /** From one instant to another something else was wrong. */
  private record Trouble(Instant from, Instant to) {}

  private final List<Kill> kills = new ArrayList<>();
  private final List<Instant> crashes = new ArrayList<>();
  private final List<Trouble> troubles = new ArrayList<>();

  synchronized void killed(String node, Instant at, List<String> held, List<String> others) {
    kills.add(new Kill(node, at, held, others));
  }

  synchronized void trouble(Instant from, Instant to) {
    troubles.add(new Trouble(from, to));
  }

  /** Postgres was down from then on: what it said before may be forgotten. */
  synchronized void crashed(Instant at) {
    crashes.add(at);
  }

  synchronized List<Instant> crashes() {
    return List.copyOf(crashes);
  }

  synchronized int kills() {
    return kills.size();
  }

  /** Kills that took work from somebody. */
  synchronized long ofHolders() {
    return kills.stream().filter(kill -> !kill.held.isEmpty()).count();
  }

  synchronized List<Restart> restarts(List<Tried> tried) {
    Map<String, List<Tried>> byKey = new HashMap<>();
    tried.forEach(one -> byKey.computeIfAbsent(one.key(), key -> new ArrayList<>()).add(one));
    List<Restart> restarts = new ArrayList<>();
    for (Kill kill : kills) {
      for (String key : kill.held) {
        Optional<Instant> next =
            byKey.getOrDefault(key, List.of()).stream()
                .map(Tried::begun)
                .filter(begun -> begun.isAfter(kill.at))
                .min(Instant::compareTo);
        restarts.add(
            new Restart(
                kill.node,
                kill.at,
                key,
                next.map(at -> Duration.between(kill.at, at)),
                alone(kill, next.orElse(kill.at))));
      }
    }
    return restarts;
  }

  /** Nothing else was wrong until then, and one who worked at the time of the kill still did. */
  private boolean alone(Kill kill, Instant to) {
    return troubles.stream().noneMatch(it -> it.from.isBefore(to) && it.to.isAfter(kill.at))
        && kill.others.stream().anyMatch(other -> survives(other, kill.at, to));
  }

  private boolean survives(String node, Instant from, Instant to) {
    return kills.stream()
        .noneMatch(
            kill -> kill.node.equals(node) && !kill.at.isBefore(from) && kill.at.isBefore(to));
  }
}
