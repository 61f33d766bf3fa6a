package io.convoke.lab.chaos.presence;

import io.convoke.lab.chaos.Words;
import java.time.Duration;

/** One planned thing. {@code at} counts from the beginning of the storm. */
sealed interface Step {

  Duration at();

  /** Somebody opens one more connection. */
  record Join(Duration at, String room, String person) implements Step {}

  /** Somebody closes the oldest connection. */
  record Leave(Duration at, String room, String person) implements Step {}

  /** kill -9 of a server, which is started again after a while. */
  record KillServer(Duration at, int server, Duration down) implements Step {
    @Override
    public String toString() {
      return Words.at(
          at, "kill -9 of server " + server + ", started again after " + Words.seconds(down));
    }
  }

  /** A server hangs long enough to lose its leases, and then goes on as if nothing had been. */
  record PauseServer(Duration at, int server, Duration span) implements Step {
    @Override
    public String toString() {
      return Words.at(at, "server " + server + " hangs for " + Words.seconds(span));
    }
  }

  /** Redis is away for a while and comes back with what it knew. */
  record StopRedis(Duration at, Duration down) implements Step {
    @Override
    public String toString() {
      return Words.at(at, "Redis stops for " + Words.seconds(down));
    }
  }

  /** Redis forgets everything. */
  record FlushRedis(Duration at) implements Step {
    @Override
    public String toString() {
      return Words.at(at, "Redis forgets everything");
    }
  }
}
