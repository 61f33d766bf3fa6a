package io.convoke.chaos.presence;

import io.convoke.chaos.PlanFormat;
import java.time.Duration;

/** One planned step. {@code at} counts from the start of the storm. */
sealed interface PresencePlanStep {

  Duration at();

  /** A person opens another connection. */
  record JoinRoom(Duration at, String room, String person) implements PresencePlanStep {}

  /** A person closes their oldest connection. */
  record LeaveRoom(Duration at, String room, String person) implements PresencePlanStep {}

  /** Kills a server with kill -9 and restarts it later. */
  record KillPresenceServer(Duration at, int server, Duration down) implements PresencePlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(
          at, "kill -9 of server " + server + ", started again after " + PlanFormat.seconds(down));
    }
  }

  /** Suspends a server until its leases have expired, and resumes it. */
  record PausePresenceServer(Duration at, int server, Duration span) implements PresencePlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(at, "server " + server + " hangs for " + PlanFormat.seconds(span));
    }
  }

  /** Stops Redis for a while; its data survives. */
  record StopRedisOfPresence(Duration at, Duration down) implements PresencePlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Redis stops for " + PlanFormat.seconds(down));
    }
  }

  /** Empties Redis. */
  record FlushRedisOfPresence(Duration at) implements PresencePlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Redis loses all data");
    }
  }
}
