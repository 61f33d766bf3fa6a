package io.convoke.chaos.presence;

import io.convoke.chaos.PlanFormat;
import java.time.Duration;

/** One planned thing. {@code at} counts from the beginning of the storm. */
sealed interface PresencePlanStep {

  Duration at();

  /** Somebody opens one more connection. */
  record JoinRoom(Duration at, String room, String person) implements PresencePlanStep {}

  /** Somebody closes the oldest connection. */
  record LeaveRoom(Duration at, String room, String person) implements PresencePlanStep {}

  /** kill -9 of a server, which is started again after a while. */
  record KillPresenceServer(Duration at, int server, Duration down) implements PresencePlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(
          at, "kill -9 of server " + server + ", started again after " + PlanFormat.seconds(down));
    }
  }

  /** A server hangs long enough to lose its leases, and then goes on as if nothing had been. */
  record PausePresenceServer(Duration at, int server, Duration span) implements PresencePlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(at, "server " + server + " hangs for " + PlanFormat.seconds(span));
    }
  }

  /** Redis is away for a while and comes back with what it knew. */
  record StopRedisOfPresence(Duration at, Duration down) implements PresencePlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Redis stops for " + PlanFormat.seconds(down));
    }
  }

  /** Redis forgets everything. */
  record FlushRedisOfPresence(Duration at) implements PresencePlanStep {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Redis forgets everything");
    }
  }
}
