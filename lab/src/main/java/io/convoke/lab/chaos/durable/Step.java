package io.convoke.lab.chaos.durable;

import io.convoke.lab.chaos.Words;
import io.convoke.lab.chaos.durable.flow.Flow;
import java.time.Duration;

/** One planned thing. {@code at} counts from the beginning of the storm. */
sealed interface Step {

  Duration at();

  /**
   * The client starts a flow and says so until it is heard.
   *
   * @param times how often it says so although it was heard
   */
  record Start(Duration at, Flow flow, int times) implements Step {}

  /** The client tells a flow of something that happened, after its start was acknowledged. */
  record Tell(Duration at, Flow flow, int number) implements Step {}

  /**
   * kill -9 of a node, which is started again after a while.
   *
   * @param patient whether it waits until all nodes work
   */
  record KillNode(Duration at, int node, Duration down, boolean patient) implements Step {
    @Override
    public String toString() {
      return Words.at(
          at,
          "kill -9 of node %d%s, started again after %s"
              .formatted(node, patient ? " once all work" : "", Words.seconds(down)));
    }
  }

  /** A node hangs until all its locks have ended, and then goes on as if nothing had been. */
  record PauseNode(Duration at, int node, Duration span) implements Step {
    @Override
    public String toString() {
      return Words.at(at, "node " + node + " hangs for " + Words.seconds(span));
    }
  }

  /** Postgres breaks connections, each with a chance. */
  record CutConnections(Duration at, int percent) implements Step {
    @Override
    public String toString() {
      return Words.at(at, "Postgres ends " + percent + " % of the connections");
    }
  }

  /** Postgres is stopped with {@code -m immediate} and recovers. */
  record CrashPostgres(Duration at, Duration down) implements Step {
    @Override
    public String toString() {
      return Words.at(at, "Postgres is stopped with -m immediate for " + Words.seconds(down));
    }
  }

  /** What a node's open listening connections say and hear is lost from now on. */
  record DeafenNode(Duration at, int node) implements Step {
    @Override
    public String toString() {
      return Words.at(at, "the listening connections of node " + node + " go silent");
    }
  }

  /** The clock of a node jumps. */
  record MoveClock(Duration at, int node, Duration ahead) implements Step {
    @Override
    public String toString() {
      return Words.at(at, "the clock of node " + node + " goes " + Words.seconds(ahead) + " ahead");
    }
  }
}
