package io.convoke.lab.chaos.bots;

import io.convoke.lab.chaos.Words;
import java.time.Duration;
import java.util.List;

/** One planned thing. {@code at} counts from the beginning of the storm. */
sealed interface Step {

  Duration at();

  /**
   * A user wants a bot.
   *
   * @param times how many equal requests at once
   * @param stops when the user asks it to stop, counted from the first request
   */
  record Wish(Duration at, int user, String room, int times, List<Duration> stops, Fate fate)
      implements Step {}

  /** kill -9 of servers, started again after a while. */
  record KillServers(Duration at, List<Integer> servers, Duration down) implements Step {
    @Override
    public String toString() {
      return Words.at(
          at, "kill -9 of servers " + servers + ", started again after " + Words.seconds(down));
    }
  }

  /** The Docker engine dies, its containers live on, and it is started again. */
  record KillEngine(Duration at, Duration down) implements Step {
    @Override
    public String toString() {
      return Words.at(
          at, "kill -9 of the Docker engine, started again after " + Words.seconds(down));
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

  /** Every subscription breaks; commands of that moment are lost. */
  record DropCommands(Duration at) implements Step {
    @Override
    public String toString() {
      return Words.at(at, "Redis drops all subscriptions");
    }
  }
}
