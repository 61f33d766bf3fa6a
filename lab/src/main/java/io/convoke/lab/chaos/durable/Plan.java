package io.convoke.lab.chaos.durable;

import io.convoke.lab.chaos.durable.flow.Flow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * All that will happen in a run.
 *
 * @param orders what the client does, in order of time
 * @param disturbances of nodes and of Postgres, in order of time
 * @param moved the node whose clock is moved, if any
 * @param clientAhead how far the client's clock is ahead; zero for a right one
 */
record Plan(
    long seed,
    List<Step> orders,
    List<Step> disturbances,
    Optional<Integer> moved,
    Duration clientAhead) {

  List<Flow> flows() {
    return orders.stream()
        .filter(Step.Start.class::isInstance)
        .map(Step.Start.class::cast)
        .map(Step.Start::flow)
        .toList();
  }

  /** Every event that a flow is told, as {@code flow number}. */
  List<String> tells() {
    return orders.stream()
        .filter(Step.Tell.class::isInstance)
        .map(Step.Tell.class::cast)
        .map(tell -> tell.flow().id() + " " + tell.number())
        .toList();
  }

  long kills() {
    return disturbances.stream().filter(Step.KillNode.class::isInstance).count();
  }

  /** The plan for people. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "seed %d: %d nodes, %d flows, %d events, %d kills%s"
            .formatted(
                seed,
                Terms.NODES,
                flows().size(),
                tells().size(),
                kills(),
                clientAhead.isZero()
                    ? ""
                    : ", the client's clock %d s ahead".formatted(clientAhead.toSeconds())));
    disturbances.forEach(step -> lines.add("  " + step));
    return lines;
  }
}
