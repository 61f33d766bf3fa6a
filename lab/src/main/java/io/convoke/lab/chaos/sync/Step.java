package io.convoke.lab.chaos.sync;

import io.convoke.lab.chaos.Words;
import java.time.Duration;

/** One planned disturbance. {@code at} counts from the beginning of the storm. */
sealed interface Step {

  Duration at();

  /** Redis is away for a while and comes back with what it had written down. */
  record RedisAway(Duration at, Duration down, boolean killed) implements Step {
    @Override
    public String toString() {
      return Words.at(
          at, "Redis " + (killed ? "is killed" : "stops") + ", back after " + Words.seconds(down));
    }
  }

  /** Redis says nothing for a while and then goes on. */
  record RedisHangs(Duration at, Duration span) implements Step {
    @Override
    public String toString() {
      return Words.at(at, "Redis hangs for " + Words.seconds(span));
    }
  }

  /** Redis forgets everything. */
  record RedisForgets(Duration at) implements Step {
    @Override
    public String toString() {
      return Words.at(at, "Redis forgets everything");
    }
  }

  /** Postgres is away for a while. */
  record PostgresAway(Duration at, Duration down, boolean killed) implements Step {
    @Override
    public String toString() {
      return Words.at(
          at,
          "Postgres " + (killed ? "is killed" : "stops") + ", back after " + Words.seconds(down));
    }
  }

  /** Postgres says nothing for a while, all its processes, and then goes on. */
  record PostgresHangs(Duration at, Duration span) implements Step {
    @Override
    public String toString() {
      return Words.at(at, "Postgres hangs for " + Words.seconds(span));
    }
  }

  /**
   * Redis is away, and when it is back with what it had known, Postgres is away for longer, so that
   * no store knows what Redis has missed.
   */
  record BothAway(Duration at, Duration redis, Duration postgres) implements Step {
    @Override
    public String toString() {
      return Words.at(
          at,
          "Redis stops, back after %s, when Postgres stops, back after %s"
              .formatted(Words.seconds(redis), Words.seconds(postgres)));
    }
  }

  /** A server says nothing for a while and then goes on. */
  record ServerHangs(Duration at, int server, Duration span) implements Step {
    @Override
    public String toString() {
      return Words.at(at, "server " + server + " hangs for " + Words.seconds(span));
    }
  }

  /** kill -9 of a server, which is started again after a while. */
  record ServerDies(Duration at, int server, Duration down) implements Step {
    @Override
    public String toString() {
      return Words.at(
          at, "kill -9 of server " + server + ", started again after " + Words.seconds(down));
    }
  }
}
