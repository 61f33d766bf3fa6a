package io.convoke.chaos;

import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.RunClock;
import io.convoke.simulator.stores.EmbeddedPostgres;
import io.convoke.simulator.stores.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** Carries out planned faults, and records when each could be felt. Thread-safe. */
public final class FaultInjection {
  /** Name of the fault by which connections carry nothing any more. */
  public static final String SILENT = "silent network";

  /** Name of the fault in which Postgres can only be read. */
  public static final String FULL_DISK = "full disk";

  /** Time for servers to reconnect to a store that is back. */
  private static final Duration RECONNECT = Duration.ofSeconds(2);

  /** Time after which a server that reports readiness has run its maintenance once. */
  private static final Duration SETTLED = Duration.ofSeconds(1);

  /** Time until a server notices that a connection is silent. */
  private static final Duration UNHEARD = Duration.ofSeconds(10);

  /** Connections that end when a program starts: at least one of each of its pools. */
  private static final int FIRST_CONNECTIONS = 8;

  private final ChaosEnvironment environment;
  private final EmbeddedRedis redis;
  private final EmbeddedPostgres postgres;
  private final FaultTargets targets;
  private final FaultTimeline timeline;

  /** One fault at a time takes a store away. */
  private final Map<Fault.Store, ReentrantLock> stores =
      Map.of(Fault.Store.REDIS, new ReentrantLock(), Fault.Store.POSTGRES, new ReentrantLock());

  public FaultInjection(
      ChaosEnvironment environment, FaultTargets targets, FaultTimeline timeline) {
    this.environment = environment;
    this.redis = environment.stores().redis();
    this.postgres = environment.stores().postgres();
    this.targets = targets;
    this.timeline = timeline;
  }

  public FaultTimeline timeline() {
    return timeline;
  }

  /** Injects faults one after the other, each at its time; completes when the last is over. */
  public CompletableFuture<?> carryOut(List<Fault> faults, RunClock clock) {
    return CompletableFuture.runAsync(
        () ->
            faults.forEach(
                fault -> {
                  clock.await(fault.at());
                  inject(fault);
                }),
        Thread.ofPlatform()::start);
  }

  /** Injects a fault; returns when it is over. */
  public void inject(Fault fault) {
    switch (fault) {
      case Fault.KillServers(Duration _, List<Integer> numbers, Duration down) ->
          killed(numbers, () -> park(down));
      case Fault.EndFirstConnections(Duration _, int number) ->
          killed(
              List.of(number),
              () ->
                  targets.programs().get(number).endNext(Fault.Store.POSTGRES, FIRST_CONNECTIONS));
      case Fault.HangServer(Duration _, int number, Duration span) -> {
        try (var _ = timeline.begin(FaultTimeline.HANG, SETTLED, List.of(targets.name(number)))) {
          targets.hang(number, span);
        }
      }
      case Fault.RollServers _ -> {
        for (int number = 0; number < targets.programs().size(); number++) {
          try (var _ = timeline.begin("SIGTERM", SETTLED, List.of(targets.name(number)))) {
            targets.stop(number);
            targets.restart(number);
          }
        }
      }
      case Fault.RedisAway(Duration _, Fault.StoreFailure how, Duration span) ->
          onRedis(
              "Redis away",
              how != Fault.StoreFailure.HANGS,
              () -> {
                switch (how) {
                  case STOPS -> redis.stop();
                  case IS_KILLED -> redis.kill();
                  case HANGS -> redis.pause(true);
                }
                gone(Fault.Store.REDIS, span);
                if (how == Fault.StoreFailure.HANGS) {
                  redis.pause(false);
                } else {
                  redis.restart();
                }
              });
      case Fault.PostgresAway(Duration _, Fault.StoreFailure how, Duration span) ->
          onPostgres(
              FaultTimeline.POSTGRES_AWAY,
              () -> {
                switch (how) {
                  case STOPS -> postgres.stop();
                  case IS_KILLED -> postgres.kill();
                  case HANGS -> postgres.pause(true);
                }
                gone(Fault.Store.POSTGRES, span);
                if (how == Fault.StoreFailure.HANGS) {
                  postgres.pause(false);
                } else {
                  postgres.restart();
                }
              });
      case Fault.SlowNetwork(
              Duration _,
              int number,
              Fault.Store store,
              Duration delay,
              Duration span) -> {
        List<String> between = List.of(targets.name(number), store.target());
        try (var _ = timeline.begin("slow network", RECONNECT, between)) {
          targets.programs().get(number).delay(store, delay);
          park(span);
          targets.programs().get(number).delay(store, Duration.ZERO);
        }
      }
      case Fault.SilentNetwork(Duration _, int number, Fault.Store store) -> {
        List<String> between = List.of(targets.name(number), store.target());
        try (var _ = timeline.begin(SILENT, UNHEARD, between)) {
          targets.programs().get(number).silence(store);
        }
      }
      case Fault.CutOff(Duration _, int number, Fault.Store store, Duration span) -> {
        List<String> between = List.of(targets.name(number), store.target());
        try (var _ = timeline.begin("cut off", UNHEARD, between)) {
          targets.programs().get(number).cutOff(store, span);
        }
      }
      case Fault.UnansweredCommits(Duration _, int number, Duration span) -> {
        List<String> between = List.of(targets.name(number), FaultTimeline.POSTGRES);
        try (var _ = timeline.begin(FaultTimeline.UNANSWERED, RECONNECT, between)) {
          targets.programs().get(number).unanswered(span);
        }
      }
      case Fault.LoseLastWrites(Duration _, Duration lost, Duration down) ->
          onRedis(
              "lost writes of Redis",
              true,
              () -> {
                long written = redis.written();
                park(lost);
                redis.killLosing(written);
                gone(Fault.Store.REDIS, down);
                redis.restart();
              });
      case Fault.FullDisk(Duration _, Duration span) ->
          onPostgres(
              FULL_DISK,
              () -> {
                LimitedDisk disk = environment.disk();
                disk.fill();
                gone(Fault.Store.POSTGRES, span);
                disk.empty();
                postgres.restartIfEnded();
              });
      case Fault.FailOverPostgres _ ->
          exclusively(
              Fault.Store.POSTGRES,
              () -> {
                postgres.addStandby();
                onPostgres(
                    "failover of Postgres",
                    () ->
                        timeline.during(
                            FaultTimeline.POSTGRES + FaultTimeline.GONE, postgres::failOver));
              });
      case Fault.StalledStreams(Duration _, int number, Duration span) -> {
        try (var _ = timeline.begin("stalled streams", Duration.ZERO, List.of());
            var _ = targets.stall(number)) {
          park(span);
        }
      }
      case Fault.FlushRedis _ -> onRedis(FaultTimeline.EMPTIED, true, redis::flush);
      case Fault.DropSubscriptions _ ->
          onRedis("subscriptions dropped", false, redis::dropSubscribers);
      case Fault.CutRedis _ -> onRedis("Redis cut off", false, redis::cut);
      case Fault.StoresAway(Duration _, Duration redisAway, Duration postgresAway) ->
          onStore(
              Fault.Store.REDIS,
              "both stores away",
              List.of(
                  FaultTimeline.REDIS,
                  FaultTimeline.REDIS + FaultTimeline.FORGOT,
                  FaultTimeline.POSTGRES),
              () -> {
                redis.stop();
                gone(Fault.Store.REDIS, redisAway);
                postgres.stop();
                redis.restart();
                park(postgresAway);
                postgres.restart();
              });
    }
  }

  /** Kills programs with kill -9, runs the action while they are down, and starts them again. */
  public void killed(List<Integer> numbers, Runnable meanwhile) {
    try (var _ =
        timeline.begin(FaultTimeline.KILL, SETTLED, numbers.stream().map(targets::name).toList())) {
      numbers.forEach(targets::kill);
      meanwhile.run();
      List<CompletableFuture<Void>> starts =
          numbers.stream()
              .map(
                  number ->
                      CompletableFuture.runAsync(
                          () -> targets.restart(number), Thread.ofPlatform()::start))
              .toList();
      starts.forEach(CompletableFuture::join);
    }
  }

  /**
   * A fault of Redis.
   *
   * @param forgets whether Redis may have lost data, or is another server after it
   */
  private void onRedis(String what, boolean forgets, Runnable fault) {
    List<String> targets =
        forgets
            ? List.of(FaultTimeline.REDIS, FaultTimeline.REDIS + FaultTimeline.FORGOT)
            : List.of(FaultTimeline.REDIS);
    onStore(Fault.Store.REDIS, what, targets, fault);
  }

  private void onPostgres(String what, Runnable fault) {
    onStore(Fault.Store.POSTGRES, what, List.of(FaultTimeline.POSTGRES), fault);
  }

  private void onStore(Fault.Store store, String what, List<String> targets, Runnable fault) {
    exclusively(
        store,
        () -> {
          try (var _ = timeline.begin(what, RECONNECT, targets)) {
            fault.run();
          }
        });
  }

  private void exclusively(Fault.Store store, Runnable fault) {
    ReentrantLock lock = Objects.requireNonNull(stores.get(store));
    lock.lock();
    try {
      fault.run();
    } finally {
      lock.unlock();
    }
  }

  private void gone(Fault.Store store, Duration span) {
    timeline.during(store.target() + FaultTimeline.GONE, () -> park(span));
  }

  private static void park(Duration span) {
    long end = System.nanoTime() + span.toNanos();
    while (System.nanoTime() - end < 0) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }
}
