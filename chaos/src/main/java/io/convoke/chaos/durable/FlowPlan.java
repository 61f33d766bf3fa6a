package io.convoke.chaos.durable;

import io.convoke.chaos.durable.flow.TestFlow;
import io.convoke.chaos.durable.flow.TestJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The plan of a run.
 *
 * @param orders what the client does, by time
 * @param faults node and Postgres faults, by time
 * @param shiftedClock the node whose clock is shifted, if any
 * @param clientAhead how far the client's clock is ahead; zero without a shift
 */
record FlowPlan(
    long seed,
    List<FlowOrder> orders,
    List<FlowFault> faults,
    Optional<Integer> shiftedClock,
    Duration clientAhead) {

  static FlowPlan empty(long seed) {
    return new FlowPlan(seed, List.of(), List.of(), Optional.empty(), Duration.ZERO);
  }

  List<TestFlow> flows() {
    return orders.stream()
        .filter(FlowOrder.StartFlow.class::isInstance)
        .map(FlowOrder.StartFlow.class::cast)
        .map(FlowOrder.StartFlow::flow)
        .toList();
  }

  /** Every event raised for a flow, as {@code flow number}. */
  List<String> raisedEvents() {
    return orders.stream()
        .filter(FlowOrder.RaiseEvent.class::isInstance)
        .map(FlowOrder.RaiseEvent.class::cast)
        .map(raiseEvent -> raiseEvent.flow().id() + " " + raiseEvent.number())
        .toList();
  }

  List<TestJob> jobs() {
    return orders.stream()
        .filter(FlowOrder.EnqueueJob.class::isInstance)
        .map(order -> ((FlowOrder.EnqueueJob) order).job())
        .toList();
  }

  /**
   * Whether nodes are killed and nothing else happens: after other faults work may wait for the
   * expiry of a lock or for a fallback poll.
   */
  boolean onlyKills() {
    return kills() == faults.size();
  }

  long kills() {
    return faults.stream().filter(FlowFault::kills).count();
  }

  /** The plan as readable text. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "seed %d: %d nodes, %d flows, %d events, %d kills%s"
            .formatted(
                seed,
                FlowRunConfig.NODES,
                flows().size(),
                raisedEvents().size(),
                kills(),
                clientAhead.isZero()
                    ? ""
                    : ", the client's clock %d s ahead".formatted(clientAhead.toSeconds())));
    faults.forEach(fault -> lines.add("  " + fault));
    return lines;
  }
}
