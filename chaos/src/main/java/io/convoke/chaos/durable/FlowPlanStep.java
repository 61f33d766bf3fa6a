package io.convoke.chaos.durable;

import io.convoke.chaos.PlanFormat;
import io.convoke.chaos.durable.flow.TestFlow;
import java.time.Duration;

/** One planned step. {@code at} counts from the start of the storm. */
sealed interface FlowPlanStep {

  Duration at();

  /**
   * The client starts a flow, and retries until acknowledged.
   *
   * @param times number of repeated starts after the acknowledgement
   */
  record StartFlow(Duration at, TestFlow flow, int times) implements FlowPlanStep {}

  /** The client raises an event of a flow whose start was acknowledged. */
  record RaiseEvent(Duration at, TestFlow flow, int number) implements FlowPlanStep {}

  /** The client cancels a flow whose start was acknowledged. */
  record CancelFlow(Duration at, TestFlow flow) implements FlowPlanStep {}

  /** The client has a workflow run every second for so long. */
  record ScheduleRuns(Duration at, String id, Duration span) implements FlowPlanStep {}

  /**
   * Kills a node with kill -9 and restarts it later.
   *
   * @param patient whether it first waits until all nodes are running
   */
  record KillNode(Duration at, int node, Duration down, boolean patient) implements FlowPlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(
          at,
          "kill -9 of node %d%s, started again after %s"
              .formatted(node, patient ? " once all nodes work" : "", PlanFormat.seconds(down)));
    }
  }

  /** Suspends a node until all its locks have expired, and resumes it. */
  record PauseNode(Duration at, int node, Duration span) implements FlowPlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(at, "node " + node + " hangs for " + PlanFormat.seconds(span));
    }
  }

  /** Terminates Postgres connections, each with a probability. */
  record CutConnections(Duration at, int percent) implements FlowPlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Postgres ends " + percent + " % of the connections");
    }
  }

  /** Stops Postgres with {@code -m immediate}; it recovers on restart. */
  record CrashPostgres(Duration at, Duration down) implements FlowPlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(
          at, "Postgres is stopped with -m immediate for " + PlanFormat.seconds(down));
    }
  }

  /** Drops all traffic of a node's open LISTEN connections from now on. */
  record BlackholeListener(Duration at, int node) implements FlowPlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(at, "the listening connections of node " + node + " go silent");
    }
  }

  /** Shifts a node's clock. */
  record MoveClock(Duration at, int node, Duration ahead) implements FlowPlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(
          at, "the clock of node " + node + " goes " + PlanFormat.seconds(ahead) + " ahead");
    }
  }
}
