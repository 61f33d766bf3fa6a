package io.convoke.chaos;

import io.convoke.chaos.kernel.FaultTimeline;
import java.time.Duration;
import java.util.List;

/**
 * A planned fault that every scenario can have. It names the programs that it hits "servers"; a
 * scenario that has others says so with {@link #of}. {@code at} counts from the start of the fault
 * phase. {@link FaultInjection} carries it out.
 */
public sealed interface Fault {
  Duration at();

  /** As text, for programs that are not servers but, for example, nodes. */
  default String of(String program) {
    return toString().replace("server", program);
  }

  /** Kills servers with kill -9 and restarts them later. */
  record KillServers(Duration at, List<Integer> servers, Duration down) implements Fault {
    @Override
    public String toString() {
      return PlanFormat.at(
          at,
          "kill -9 of %s, started again after %s"
              .formatted(
                  servers.size() == 1 ? "server " + servers.getFirst() : "servers " + servers,
                  PlanFormat.seconds(down)));
    }
  }

  /**
   * Kills a server; when it starts again, its first connections to Postgres end before the first
   * statement, as while Postgres restarts.
   */
  record EndFirstConnections(Duration at, int server) implements Fault {
    @Override
    public String toString() {
      return PlanFormat.at(
          at, "kill -9 of server " + server + ", whose first connections to Postgres then end");
    }
  }

  /** Suspends a server and resumes it. */
  record HangServer(Duration at, int server, Duration span) implements Fault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "server " + server + " hangs for " + PlanFormat.seconds(span));
    }
  }

  /** Stops each server with SIGTERM and starts it again, one after the other. */
  record RollServers(Duration at) implements Fault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "the servers are restarted one after the other with SIGTERM");
    }
  }

  /** How a store fails. */
  enum StoreFailure {
    STOPS("stops"),
    IS_KILLED("is killed"),
    HANGS("hangs");

    private final String text;

    StoreFailure(String text) {
      this.text = text;
    }
  }

  /** Takes Redis away; it comes back with what it had persisted. */
  record RedisAway(Duration at, StoreFailure how, Duration span) implements Fault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Redis " + how.text + " for " + PlanFormat.seconds(span));
    }
  }

  /** Takes Postgres away. */
  record PostgresAway(Duration at, StoreFailure how, Duration span) implements Fault {
    /** Servers wait five seconds for a connection; calls that meet a longer outage are refused. */
    private static final Duration REFUSED = Duration.ofMillis(6500);

    /** An outage in which calls are refused, and so each path of the servers that refuses one. */
    public static PostgresAway untilCallsAreRefused(Duration at) {
      return new PostgresAway(at, StoreFailure.STOPS, REFUSED);
    }

    @Override
    public String toString() {
      return PlanFormat.at(at, "Postgres " + how.text + " for " + PlanFormat.seconds(span));
    }
  }

  /** Empties Redis. */
  record FlushRedis(Duration at) implements Fault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Redis loses all data");
    }
  }

  /** Closes every Redis subscription; what is published at that moment is lost. */
  record DropSubscriptions(Duration at) implements Fault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Redis drops all subscriptions");
    }
  }

  /** Closes every Redis connection. */
  record CutRedis(Duration at) implements Fault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Redis breaks every connection");
    }
  }

  /** A store that servers reach over the network. */
  enum Store {
    REDIS(FaultTimeline.REDIS, "Redis"),
    POSTGRES(FaultTimeline.POSTGRES, "Postgres");

    private final String target;
    private final String text;

    Store(String target, String text) {
      this.target = target;
      this.text = text;
    }

    /** As a target of a {@link FaultTimeline}. */
    String target() {
      return target;
    }

    /** Whether a URL is one of this store. */
    boolean isAt(String url) {
      return url.startsWith(target);
    }
  }

  /** Delays all traffic between a server and a store, in both directions. */
  record SlowNetwork(Duration at, int server, Store store, Duration delay, Duration span)
      implements Fault {
    @Override
    public String toString() {
      return PlanFormat.at(
          at,
          "traffic between server %d and %s takes %d ms each way for %s"
              .formatted(server, store.text, delay.toMillis(), PlanFormat.seconds(span)));
    }
  }

  /** Drops all traffic of a server's open connections to a store, which stay open. */
  record SilentNetwork(Duration at, int server, Store store) implements Fault {
    @Override
    public String toString() {
      return PlanFormat.at(
          at, "the connections of server " + server + " to " + store.text + " go silent");
    }
  }

  /** Drops all traffic between a server and a store for a while, on new connections too. */
  record CutOff(Duration at, int server, Store store, Duration span) implements Fault {
    @Override
    public String toString() {
      return PlanFormat.at(
          at,
          "server %d cannot reach %s for %s"
              .formatted(server, store.text, PlanFormat.seconds(span)));
    }
  }

  /**
   * Ends a server's connections to Postgres for a while, each when it would carry the answer to a
   * commit: the server cannot know that what it wrote is stored.
   */
  record UnansweredCommits(Duration at, int server, Duration span) implements Fault {
    @Override
    public String toString() {
      return PlanFormat.at(
          at,
          "Postgres stores what server %d commits for %s, but the answers are lost"
              .formatted(server, PlanFormat.seconds(span)));
    }
  }

  /** Power failure: Redis restarts without its last writes. */
  record LoseLastWrites(Duration at, Duration lost, Duration down) implements Fault {
    @Override
    public String toString() {
      return PlanFormat.at(
          at,
          "Redis loses power and the last %s, started again after %s"
              .formatted(PlanFormat.seconds(lost), PlanFormat.seconds(down)));
    }
  }

  /** Leaves no room on the disk of Postgres. */
  record FullDisk(Duration at, Duration span) implements Fault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "the disk of Postgres is full for " + PlanFormat.seconds(span));
    }
  }

  /** Kills Postgres with kill -9; its synchronous standby takes over its address. */
  record FailOverPostgres(Duration at) implements Fault {
    @Override
    public String toString() {
      return PlanFormat.at(at, "Postgres is killed, its standby takes over");
    }
  }

  /** Opens event streams that are never read, and closes them later. */
  record StalledStreams(Duration at, int number, Duration span) implements Fault {
    @Override
    public String toString() {
      return PlanFormat.at(
          at,
          number
              + " clients open event streams for "
              + PlanFormat.seconds(span)
              + " and do not read");
    }
  }

  /**
   * Stops Redis, and when it restarts with its old data, stops Postgres for longer, so that no
   * store has what Redis missed.
   */
  record StoresAway(Duration at, Duration redis, Duration postgres) implements Fault {
    @Override
    public String toString() {
      return PlanFormat.at(
          at,
          "Redis stops, back after %s, when Postgres stops, back after %s"
              .formatted(PlanFormat.seconds(redis), PlanFormat.seconds(postgres)));
    }
  }
}
