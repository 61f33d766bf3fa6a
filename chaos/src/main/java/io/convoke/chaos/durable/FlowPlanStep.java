package io.convoke.chaos.durable;

import io.convoke.chaos.PlanFormat;
import io.convoke.chaos.durable.flow.TestFlow;
import java.time.Duration;

/** One planned thing. {@code at} counts from the beginning of the storm. */
sealed interface FlowPlanStep {

  Duration at();

  /**
   * The client starts a flow and says so until it is heard.
   *
   * @param times how often it says so although it was heard
   */
  record StartFlow(Duration at, TestFlow flow, int times) implements FlowPlanStep {}

  /** The client tells a flow of something that happened, after its start was acknowledged. */
  record RaiseEvent(Duration at, TestFlow flow, int number) implements FlowPlanStep {}

  /**
   * kill -9 of a node, which is started again after a while.
   *
   * @param patient whether it waits until all nodes work
   */
  record KillNode(Duration at, int node, Duration down, boolean patient) implements FlowPlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(
          at,
          "kill -9 of node %d%s, started again after %s"
              .formatted(node, patient ? " once all work" : "", PlanFormat.seconds(down)));
    }
  }

  /** A node hangs until all its locks have ended, and then goes on as if nothing had been. */
  record PauseNode(Duration at, int node, Duration span) implements FlowPlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(at, "node " + node + " hangs for " + PlanFormat.seconds(span));
    }
  }

  /** Postgres breaks connections, each with a chance. */
  record CutConnections(Duration at, int percent) implements FlowPlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Postgres ends " + percent + " % of the connections");
    }
  }

  /** Postgres is stopped with {@code -m immediate} and recovers. */
  record CrashPostgres(Duration at, Duration down) implements FlowPlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(
          at, "Postgres is stopped with -m immediate for " + PlanFormat.seconds(down));
    }
  }

  /** What a node's open listening connections say and hear is lost from now on. */
  record BlackholeListener(Duration at, int node) implements FlowPlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(at, "the listening connections of node " + node + " go silent");
    }
  }

  /** The clock of a node jumps. */
  record MoveClock(Duration at, int node, Duration ahead) implements FlowPlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(
          at, "the clock of node " + node + " goes " + PlanFormat.seconds(ahead) + " ahead");
    }
  }
}
