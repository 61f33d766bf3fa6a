package io.convoke.chaos.durable;

import io.convoke.chaos.durable.rules.ItemRestart;
import io.convoke.chaos.durable.rules.ObservedActivityAttempt;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What was done to the nodes, and how soon others went on with what the dead held. */
final class FlowFaultLog {
  /**
   * A node was killed.
   *
   * @param held keys that it held, by the rows of the queue
   * @param others nodes that worked then
   */
  private record NodeKill(String node, Instant at, List<String> held, List<String> others) {}

  /** From one instant to another something else was wrong. */
  private record FaultInterval(Instant from, Instant to) {}

  private final List<NodeKill> kills = new ArrayList<>();
  private final List<Instant> crashes = new ArrayList<>();
  private final List<FaultInterval> troubles = new ArrayList<>();

  synchronized void killed(String node, Instant at, List<String> held, List<String> others) {
    kills.add(new NodeKill(node, at, held, others));
  }

  synchronized void trouble(Instant from, Instant to) {
    troubles.add(new FaultInterval(from, to));
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
    return kills.stream().filter(nodeKill -> !nodeKill.held.isEmpty()).count();
  }

  synchronized List<ItemRestart> restarts(List<ObservedActivityAttempt> tried) {
    Map<String, List<ObservedActivityAttempt>> byKey = new HashMap<>();
    tried.forEach(one -> byKey.computeIfAbsent(one.key(), key -> new ArrayList<>()).add(one));
    List<ItemRestart> restarts = new ArrayList<>();
    for (NodeKill nodeKill : kills) {
      for (String key : nodeKill.held) {
        Optional<Instant> next =
            byKey.getOrDefault(key, List.of()).stream()
                .map(ObservedActivityAttempt::startedAt)
                .filter(begun -> begun.isAfter(nodeKill.at))
                .min(Instant::compareTo);
        restarts.add(
            new ItemRestart(
                nodeKill.node,
                nodeKill.at,
                key,
                next.map(at -> Duration.between(nodeKill.at, at)),
                alone(nodeKill, next.orElse(nodeKill.at))));
      }
    }
    return restarts;
  }

  /** Nothing else was wrong until then, and one who worked at the time of the kill still did. */
  private boolean alone(NodeKill nodeKill, Instant to) {
    return troubles.stream().noneMatch(it -> it.from.isBefore(to) && it.to.isAfter(nodeKill.at))
        && nodeKill.others.stream().anyMatch(other -> survives(other, nodeKill.at, to));
  }

  private boolean survives(String node, Instant from, Instant to) {
    return kills.stream()
        .noneMatch(
            nodeKill ->
                nodeKill.node.equals(node)
                    && !nodeKill.at.isBefore(from)
                    && nodeKill.at.isBefore(to));
  }
}
