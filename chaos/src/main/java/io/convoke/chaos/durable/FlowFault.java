package io.convoke.chaos.durable;

import io.convoke.chaos.Fault;
import io.convoke.chaos.PlanFormat;
import java.time.Duration;

/** A planned fault. {@code at} counts from the start of the fault phase. */
sealed interface FlowFault {

  Duration at();

  /** A fault of nodes or stores that every scenario can have. */
  record OnNodes(Fault fault) implements FlowFault {
    @Override
    public Duration at() {
      return fault.at();
    }

    @Override
    public String toString() {
      return fault.of("node");
    }
  }

  /** Kills a node with kill -9 once all nodes work, and restarts it later. */
  record KillOnceAllWork(Duration at, int node, Duration down) implements FlowFault {
    @Override
    public String toString() {
      return PlanFormat.at(
          at,
          "kill -9 of node %d once all nodes work, started again after %s"
              .formatted(node, PlanFormat.seconds(down)));
    }
  }

  /** Terminates Postgres connections, each with a probability. */
  record CutConnections(Duration at, int percent) implements FlowFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Postgres ends " + percent + " % of the connections");
    }
  }

  /** Drops all traffic of a node's open LISTEN connections from now on. */
  record BlackholeListener(Duration at, int node) implements FlowFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "the listening connections of node " + node + " go silent");
    }
  }

  /** Shifts a node's clock. */
  record MoveClock(Duration at, int node, Duration ahead) implements FlowFault {
    @Override
    public String toString() {
      return PlanFormat.at(
          at, "the clock of node " + node + " goes " + PlanFormat.seconds(ahead) + " ahead");
    }
  }

  /** Whether it kills nodes. */
  default boolean kills() {
    return this instanceof KillOnceAllWork
        || (this instanceof OnNodes(Fault fault) && fault instanceof Fault.KillServers);
  }
}
