package io.convoke.lab.chaos.recordings;

import io.convoke.lab.chaos.Words;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** One planned thing. {@code at} counts from the beginning of the storm. */
sealed interface Step {

  Duration at();

  /** A recording appears on the platform. */
  record Take(Duration at, String room, Ending ending, Fate fate) implements Step {}

  /** How a recording ends on the platform. */
  enum Ending {
    FINISHED,
    CANCELED,
    /** Over within its first second: a file without length. */
    EMPTY
  }

  /** At which point of a step servers die. */
  enum Point {
    /** Its claim is committed. */
    RUNNING,
    /** Within the commit of its end, which comes through though nobody hears of it. */
    COMMITTING,
    /** Within the commit of its end, which does not come through. */
    ABORTED,
    /** After the commit of its end, before the next step. */
    DONE
  }

  /**
   * kill -9 of servers when some recording comes to this point, or a while later if none does; they
   * are started again after a while.
   */
  record KillServers(Duration at, String step, Point point, List<Integer> servers, Duration down)
      implements Step {
    @Override
    public String toString() {
      return Words.from(
          at,
          "kill -9 of servers %s at %s %s, started again after %s"
              .formatted(
                  servers, step, point.name().toLowerCase(Locale.ROOT), Words.seconds(down)));
    }
  }

  /** All servers die, many recordings appear, and they are started again. */
  record Outage(Duration at, List<Step.Take> meanwhile) implements Step {
    @Override
    public String toString() {
      return Words.from(
          at, "all servers are down while %d recordings appear".formatted(meanwhile.size()));
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
