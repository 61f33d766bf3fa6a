package io.convoke.chaos.sync;

import io.convoke.chaos.PlanFormat;
import java.time.Duration;

/** A planned fault. {@code at} counts from the start of the storm. */
sealed interface SyncFault {

  Duration at();

  /** Stops Redis for a while; it restarts with what it had persisted. */
  record RedisDown(Duration at, Duration down, boolean killed) implements SyncFault {
    @Override
    public String toString() {
      return PlanFormat.at(
          at,
          "Redis " + (killed ? "is killed" : "stops") + ", back after " + PlanFormat.seconds(down));
    }
  }

  /** Suspends Redis for a while. */
  record RedisHangs(Duration at, Duration span) implements SyncFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Redis hangs for " + PlanFormat.seconds(span));
    }
  }

  /** Empties Redis. */
  record RedisFlushed(Duration at) implements SyncFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Redis loses all data");
    }
  }

  /** Stops Postgres for a while. */
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

  /** Suspends all Postgres processes for a while. */
  record PostgresHangs(Duration at, Duration span) implements SyncFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Postgres hangs for " + PlanFormat.seconds(span));
    }
  }

  /**
   * Stops Redis, and when it restarts with its old data, stops Postgres for longer, so that no
   * store has the invalidations Redis missed.
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

  /** Suspends a server for a while. */
  record ServerHangs(Duration at, int server, Duration span) implements SyncFault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "server " + server + " hangs for " + PlanFormat.seconds(span));
    }
  }

  /** Kills a server with kill -9 and restarts it later. */
  record ServerDies(Duration at, int server, Duration down) implements SyncFault {
    @Override
    public String toString() {
      return PlanFormat.at(
          at, "kill -9 of server " + server + ", started again after " + PlanFormat.seconds(down));
    }
  }
}
