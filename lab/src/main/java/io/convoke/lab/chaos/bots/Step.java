package io.convoke.lab.chaos.bots;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

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
      return text(at, "kill -9 of servers " + servers + ", started again after " + words(down));
    }
  }

  /** The Docker engine dies, its containers live on, and it is started again. */
  record KillEngine(Duration at, Duration down) implements Step {
    @Override
    public String toString() {
      return text(at, "kill -9 of the Docker engine, started again after " + words(down));
    }
  }

  /** Redis is away for a while and comes back with what it knew. */
  record StopRedis(Duration at, Duration down) implements Step {
    @Override
    public String toString() {
      return text(at, "Redis stops for " + words(down));
    }
  }

  /** Redis forgets everything. */
  record FlushRedis(Duration at) implements Step {
    @Override
    public String toString() {
      return text(at, "Redis forgets everything");
    }
  }

  /** Every subscription breaks; commands of that moment are lost. */
  record DropCommands(Duration at) implements Step {
    @Override
    public String toString() {
      return text(at, "Redis drops all subscriptions");
    }
  }

  private static String text(Duration at, String what) {
    return "at " + words(at) + " " + what;
  }

  private static String words(Duration span) {
    return String.format(Locale.ROOT, "%.1f s", span.toMillis() / 1e3);
  }
}
