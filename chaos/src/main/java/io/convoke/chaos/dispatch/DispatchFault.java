package io.convoke.chaos.dispatch;

import io.convoke.chaos.PlanFormat;
import java.time.Duration;

/** A planned fault. {@code at} counts from the start of the storm. */
sealed interface DispatchFault {

  Duration at();

  /** Kills a pod with kill -9 and restarts it later under a new id. */
  record KillPod(Duration at, int pod, Duration down) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "kill -9 of pod " + pod + again(down));
    }
  }

  /** Kills the next pod whose program logs this keyword. */
  record KillPodAtPoint(Duration at, String point, Duration down) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.from(
          at, "kill -9 of the next pod whose program prints " + point + again(down));
    }
  }

  /** Kills a server with kill -9. */
  record KillDispatchServer(Duration at, int server, Duration down) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "kill -9 of server " + server + again(down));
    }
  }

  /** Kills a server shortly after several concurrent task requests to it. */
  record KillServerAfterRequests(Duration at, int server, Duration after, Duration down)
      implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.at(
          at,
          "kill -9 of server %d %d ms after task requests%s"
              .formatted(server, after.toMillis(), again(down)));
    }
  }

  /**
   * Suspends a pod and resumes it: after all its leases have expired, or when it counts as dead but
   * still holds them by its own clock.
   */
  record PausePod(Duration at, int pod, Duration span) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "pod " + pod + " hangs for " + PlanFormat.seconds(span));
    }
  }

  /** Suspends a server. */
  record PauseDispatchServer(Duration at, int server, Duration span) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "server " + server + " hangs for " + PlanFormat.seconds(span));
    }
  }

  /** Kills Redis with kill -9; it restarts with what it had persisted. */
  record KillRedis(Duration at, Duration down) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "kill -9 of Redis" + again(down));
    }
  }

  /** Power failure: Redis restarts without its last writes. */
  record LoseRedisWrites(Duration at, Duration lost, Duration down) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.at(
          at, "Redis loses power and the last " + PlanFormat.seconds(lost) + again(down));
    }
  }

  /** Empties Redis. */
  record FlushRedisOfTasks(Duration at) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Redis loses all data");
    }
  }

  /** Closes every Redis connection. */
  record CutRedisConnections(Duration at) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Redis breaks every connection");
    }
  }

  /** Drops all traffic of a pod's open connections from now on. */
  record BlackholePod(Duration at, int pod) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "the connections of pod " + pod + " go silent");
    }
  }

  /**
   * Delays what the next pod whose program begins sends to Redis: until other processes count the
   * pod as dead and the task has been restarted.
   */
  record DelayNextPod(Duration at, Duration span) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.from(
          at,
          "output of the next pod whose program begins arrives "
              + PlanFormat.seconds(span)
              + " late");
    }
  }

  /**
   * Closes the connections of the next pod whose program begins, and delivers what it sent on them
   * just before only after it may have retried and moved on.
   */
  record ReplayNextPod(Duration at, Duration moment, Duration span) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.from(
          at,
          "the connections of the next pod whose program begins break after %s; its output arrives after %s"
              .formatted(PlanFormat.seconds(moment), PlanFormat.seconds(span)));
    }
  }

  /** Kills a server with kill -9 while Postgres hangs, so in the middle of its writes. */
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

  /** An operator drains a pod for a while. */
  record DrainPod(Duration at, int pod, Duration span) implements DispatchFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "pod " + pod + " is drained for " + PlanFormat.seconds(span));
    }
  }

  /** Drops all traffic of a server's open Redis connections. */
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
