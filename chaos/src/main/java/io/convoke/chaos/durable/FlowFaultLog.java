package io.convoke.chaos.durable;

import io.convoke.chaos.durable.rules.ItemRestart;
import io.convoke.chaos.durable.rules.ObservedActivityAttempt;
import io.convoke.chaos.kernel.FaultWindow;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The injected faults, and how soon other nodes took over a killed node's work. */
final class FlowFaultLog {
  /**
   * A node was killed.
   *
   * @param held keys of work items it had locked, from the queue's rows
   * @param others nodes running then
   */
  private record NodeKill(String node, Instant at, List<String> held, List<String> others) {}

  /** A period in which another fault was active. */
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

  /** Postgres was down from then on: transactions without synchronous commit may be lost. */
  synchronized void crashed(Instant at) {
    crashes.add(at);
  }

  /** Periods in which a fault could be felt. */
  synchronized List<FaultWindow> windows() {
    List<FaultWindow> windows = new ArrayList<>();
    kills.forEach(
        kill ->
            windows.add(
                new FaultWindow(
                    "kill -9",
                    kill.node,
                    kill.at.minus(FlowRunConfig.RECOVERED),
                    kill.at.plus(FlowRunConfig.RESTART_MAX))));
    troubles.forEach(it -> windows.add(new FaultWindow("another fault", "all", it.from, it.to)));
    return List.copyOf(windows);
  }

  synchronized List<Instant> crashes() {
    return List.copyOf(crashes);
  }

  synchronized int kills() {
    return kills.size();
  }

  /** Kills of nodes that held work. */
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

  /** No other fault until then, and a node that was running at the kill still was. */
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
