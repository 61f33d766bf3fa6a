package io.convoke.chaos.dispatch;

import io.convoke.chaos.PlanFormat;
import java.time.Duration;

/** One planned disturbance. {@code at} counts from the beginning of the storm. */
sealed interface DispatchFault {

  Duration at();

  /** kill -9 of a pod, started again after a while under another name. */
  record KillPod(Duration at, int pod, Duration down) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "kill -9 of pod " + pod + again(down));
    }
  }

  /** kill -9 of the next pod whose program says this word. */
  record KillPodAtPoint(Duration at, String word, Duration down) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.from(
          at, "kill -9 of the next pod whose program says " + word + again(down));
    }
  }

  /** kill -9 of a server. */
  record KillDispatchServer(Duration at, int server, Duration down) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "kill -9 of server " + server + again(down));
    }
  }

  /** kill -9 of a server a moment after several asked it for tasks. */
  record KillServerAfterRequests(Duration at, int server, Duration after, Duration down)
      implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.at(
          at,
          "kill -9 of server %d %d ms after it was asked for tasks%s"
              .formatted(server, after.toMillis(), again(down)));
    }
  }

  /**
   * A pod hangs, and goes on as if nothing had been: when all its leases have ended, or when it
   * counts as dead and believes in its leases still.
   */
  record PausePod(Duration at, int pod, Duration span) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "pod " + pod + " hangs for " + PlanFormat.seconds(span));
    }
  }

  /** A server hangs. */
  record PauseDispatchServer(Duration at, int server, Duration span) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "server " + server + " hangs for " + PlanFormat.seconds(span));
    }
  }

  /** Redis is killed with -9 and comes back with what it had written. */
  record KillRedis(Duration at, Duration down) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "kill -9 of Redis" + again(down));
    }
  }

  /** The power fails: Redis comes back without what it wrote last. */
  record LoseRedisWrites(Duration at, Duration lost, Duration down) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.at(
          at, "Redis loses its power and the last " + PlanFormat.seconds(lost) + again(down));
    }
  }

  /** Redis forgets everything. */
  record FlushRedisOfTasks(Duration at) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Redis forgets everything");
    }
  }

  /** Redis breaks every connection. */
  record CutRedisConnections(Duration at) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Redis breaks every connection");
    }
  }

  /** What a pod's open connections say and hear is lost from now on. */
  record BlackholePod(Duration at, int pod) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "the connections of pod " + pod + " go silent");
    }
  }

  /**
   * What the next pod whose program begins tells Redis arrives late: after others count it as dead
   * and have begun the task again.
   */
  record DelayNextPod(Duration at, Duration span) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.from(
          at,
          "what the next pod whose program begins says arrives "
              + PlanFormat.seconds(span)
              + " late");
    }
  }

  /**
   * The connections of the next pod whose program begins break, and what it said on them for a
   * moment before arrives when it may have said it again, and gone on.
   */
  record ReplayNextPod(Duration at, Duration moment, Duration span) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.from(
          at,
          "the connections of the next pod whose program begins break after %s; what it said arrives after %s"
              .formatted(PlanFormat.seconds(moment), PlanFormat.seconds(span)));
    }
  }

  /** kill -9 of a server while Postgres hangs, so amid whatever it wanted to write there. */
  record KillServerWhileWriting(Duration at, int server, Duration hanging, Duration down)
      implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.at(
          at,
          "kill -9 of server %d after Postgres hung for %s%s"
              .formatted(server, PlanFormat.seconds(hanging), again(down)));
    }
  }

  /** An operator has a pod take nothing for a while. */
  record DrainPod(Duration at, int pod, Duration span) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "pod " + pod + " is drained for " + PlanFormat.seconds(span));
    }
  }

  /** The same of a server and Redis. */
  record BlackholeServer(Duration at, int server) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "the connections of server " + server + " to Redis go silent");
    }
  }

  private static String again(Duration down) {
    return ", started again after " + PlanFormat.seconds(down);
  }
}
