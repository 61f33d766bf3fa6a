package io.convoke.chaos.durable;

import io.convoke.chaos.durable.rules.FlowHistory.ItemRestart;
import io.convoke.chaos.durable.rules.FlowHistory.ObservedActivityAttempt;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The injected faults, and how soon other nodes took over a killed node's work. */
final class FlowFaultLog {
  /**
   * A node was killed.
   *
   * @param held keys of work items it had locked, from the queue's rows
   * @param others nodes running then
   */
  private record NodeKill(String node, Instant at, List<String> held, List<String> others) {}

  private final List<NodeKill> kills = new ArrayList<>();
  private final FaultTimeline timeline;

  FlowFaultLog(FaultTimeline timeline) {
    this.timeline = timeline;
  }

  synchronized void killed(String node, Instant at, List<String> held, List<String> others) {
    kills.add(new NodeKill(node, at, held, others));
  }

  /** Periods in which a fault could be felt. */
  synchronized List<FaultWindow> windows() {
    List<FaultWindow> windows = new ArrayList<>(others());
    kills.forEach(
        kill ->
            windows.add(
                new FaultWindow(
                    FaultTimeline.KILL,
                    kill.node,
                    kill.at.minus(FlowRunConfig.RECOVERED),
                    kill.at.plus(FlowRunConfig.RESTART_MAX))));
    return List.copyOf(windows);
  }

  /** Periods in which another fault than a kill could be felt. */
  private List<FaultWindow> others() {
    return timeline.windows().stream()
        .filter(window -> !window.what().equals(FaultTimeline.KILL))
        .map(
            window ->
                new FaultWindow(
                    window.what(),
                    window.target(),
                    window.from().minus(FlowRunConfig.NOTICED),
                    window.to().equals(Instant.MAX)
                        ? window.to()
                        : window.to().plus(FlowRunConfig.RECONNECTED)))
        .toList();
  }

  /**
   * When Postgres was down, and when it was back: transactions without synchronous commit may be
   * lost.
   */
  List<Instant> crashes() {
    return timeline.windows().stream()
        .filter(window -> window.target().equals(FaultTimeline.POSTGRES + FaultTimeline.GONE))
        .flatMap(window -> Stream.of(window.from(), window.to()))
        .toList();
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
    return others().stream().noneMatch(it -> it.touches(nodeKill.at, to))
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
