package io.convoke.chaos.sync;

import io.convoke.chaos.PlanFormat;
import java.time.Duration;

/** One planned disturbance. {@code at} counts from the beginning of the storm. */
sealed interface SyncFault {

  Duration at();

  /** Redis is away for a while and comes back with what it had written down. */
  record RedisDown(Duration at, Duration down, boolean killed) implements SyncFault {
    @Override
    public String toString() {
      return PlanFormat.at(
          at,
          "Redis " + (killed ? "is killed" : "stops") + ", back after " + PlanFormat.seconds(down));
    }
  }

  /** Redis says nothing for a while and then goes on. */
  record RedisHangs(Duration at, Duration span) implements SyncFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Redis hangs for " + PlanFormat.seconds(span));
    }
  }

  /** Redis forgets everything. */
  record RedisFlushed(Duration at) implements SyncFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Redis forgets everything");
    }
  }

  /** Postgres is away for a while. */
  record PostgresDown(Duration at, Duration down, boolean killed) implements SyncFault {
    @Override
    public String toString() {
      return PlanFormat.at(
          at,
          "Postgres "
              + (killed ? "is killed" : "stops")
              + ", back after "
              + PlanFormat.seconds(down));
    }
  }

  /** Postgres says nothing for a while, all its processes, and then goes on. */
  record PostgresHangs(Duration at, Duration span) implements SyncFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Postgres hangs for " + PlanFormat.seconds(span));
    }
  }

  /**
   * Redis is away, and when it is back with what it had known, Postgres is away for longer, so that
   * no store knows what Redis has missed.
   */
  record StoresDown(Duration at, Duration redis, Duration postgres) implements SyncFault {
    @Override
    public String toString() {
      return PlanFormat.at(
          at,
          "Redis stops, back after %s, when Postgres stops, back after %s"
              .formatted(PlanFormat.seconds(redis), PlanFormat.seconds(postgres)));
    }
  }

  /** A server says nothing for a while and then goes on. */
  record ServerHangs(Duration at, int server, Duration span) implements SyncFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "server " + server + " hangs for " + PlanFormat.seconds(span));
    }
  }

  /** kill -9 of a server, which is started again after a while. */
  record ServerDies(Duration at, int server, Duration down) implements SyncFault {
    @Override
    public String toString() {
      return PlanFormat.at(
          at, "kill -9 of server " + server + ", started again after " + PlanFormat.seconds(down));
    }
  }
}
