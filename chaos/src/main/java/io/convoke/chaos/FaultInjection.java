package io.convoke.chaos;

import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.RunClock;
import io.convoke.simulator.stores.EmbeddedPostgres;
import io.convoke.simulator.stores.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/** Carries out planned faults, and records when each could be felt. */
public final class FaultInjection {
  /** Time for servers to reconnect to a store that is back. */
  private static final Duration RECONNECT = Duration.ofSeconds(2);

  /** Time after which a server that reports readiness has run its maintenance once. */
  private static final Duration SETTLED = Duration.ofSeconds(1);

  /** Time until a server notices that a connection is silent. */
  private static final Duration UNHEARD = Duration.ofSeconds(10);

  private final ChaosEnvironment environment;
  private final EmbeddedRedis redis;
  private final EmbeddedPostgres postgres;
  private final ServerCluster servers;
  private final FaultTimeline timeline;

  public FaultInjection(
      ChaosEnvironment environment, ServerCluster servers, FaultTimeline timeline) {
    this.environment = environment;
    this.redis = environment.stores().redis();
    this.postgres = environment.stores().postgres();
    this.servers = servers;
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
      case Fault.HangServer(Duration _, int server, Duration span) -> {
        try (var _ =
            timeline.begin("hang of a server", SETTLED, List.of(FaultTimeline.server(server)))) {
          servers.pause(server, true);
          park(span);
          servers.pause(server, false);
        }
      }
      case Fault.RollServers _ -> {
        for (int server = 0; server < servers.number(); server++) {
          try (var _ = timeline.begin("SIGTERM", SETTLED, List.of(FaultTimeline.server(server)))) {
            servers.stop(server);
            servers.restart(server);
          }
        }
      }
      case Fault.RedisAway(Duration _, Fault.StoreFailure how, Duration span) -> {
        try (var _ = timeline.begin("Redis away", RECONNECT, List.of(FaultTimeline.REDIS))) {
          away(
              FaultTimeline.REDIS,
              how,
              span,
              redis::stop,
              redis::kill,
              redis::restart,
              redis::pause);
        }
      }
      case Fault.PostgresAway(Duration _, Fault.StoreFailure how, Duration span) -> {
        try (var _ = timeline.begin("Postgres away", RECONNECT, List.of(FaultTimeline.POSTGRES))) {
          away(
              FaultTimeline.POSTGRES,
              how,
              span,
              postgres::stop,
              postgres::kill,
              postgres::restart,
              postgres::pause);
        }
      }
      case Fault.SlowNetwork(
              Duration _,
              int server,
              Fault.Store store,
              Duration delay,
              Duration span) -> {
        try (var _ =
            timeline.begin(
                "slow network", RECONNECT, List.of(FaultTimeline.server(server), store.target()))) {
          BlackholeProxy path = servers.path(server, store);
          path.delay(delay);
          park(span);
          path.delay(Duration.ZERO);
        }
      }
      case Fault.SilentNetwork(Duration _, int server, Fault.Store store) -> {
        try (var _ =
            timeline.begin(
                "silent network", UNHEARD, List.of(FaultTimeline.server(server), store.target()))) {
          var _ = servers.path(server, store).silence();
        }
      }
      case Fault.LoseLastWrites(Duration _, Duration lost, Duration down) -> {
        long written = redis.written();
        park(lost);
        onRedis(
            "lost writes of Redis",
            () -> {
              redis.killLosing(written);
              timeline.during(FaultTimeline.REDIS + FaultTimeline.GONE, () -> park(down));
              redis.restart();
            });
      }
      case Fault.FullDisk(Duration _, Duration span) -> {
        LimitedDisk disk = environment.disk();
        try (var _ = timeline.begin("full disk", RECONNECT, List.of(FaultTimeline.POSTGRES))) {
          disk.fill();
          timeline.during(FaultTimeline.POSTGRES + FaultTimeline.GONE, () -> park(span));
          disk.empty();
          postgres.restartIfEnded();
        }
      }
      case Fault.FailOverPostgres _ -> {
        postgres.addStandby();
        try (var _ =
            timeline.begin("failover of Postgres", RECONNECT, List.of(FaultTimeline.POSTGRES))) {
          timeline.during(FaultTimeline.POSTGRES + FaultTimeline.GONE, postgres::failOver);
        }
      }
      case Fault.StalledStreams(Duration _, int number, Duration span) -> {
        try (var _ = timeline.begin("stalled streams", Duration.ZERO, List.of());
            var _ = servers.stall(number)) {
          park(span);
        }
      }
      case Fault.FlushRedis _ -> onRedis("Redis emptied", redis::flush);
      case Fault.DropSubscriptions _ -> onRedis("subscriptions dropped", redis::dropSubscribers);
      case Fault.CutRedis _ -> onRedis("Redis cut off", redis::cut);
      case Fault.StoresAway(Duration _, Duration redisAway, Duration postgresAway) -> {
        try (var _ =
            timeline.begin(
                "both stores away",
                RECONNECT,
                List.of(FaultTimeline.REDIS, FaultTimeline.POSTGRES))) {
          redis.stop();
          timeline.during(FaultTimeline.REDIS + FaultTimeline.GONE, () -> park(redisAway));
          postgres.stop();
          redis.restart();
          park(postgresAway);
          postgres.restart();
        }
      }
    }
  }

  /** Kills servers with kill -9, runs the action while they are down, and restarts them. */
  public void killed(List<Integer> numbers, Runnable meanwhile) {
    try (var _ =
        timeline.begin("kill -9", SETTLED, numbers.stream().map(FaultTimeline::server).toList())) {
      numbers.forEach(servers::kill);
      meanwhile.run();
      List<CompletableFuture<Void>> starts =
          numbers.stream()
              .map(
                  server ->
                      CompletableFuture.runAsync(
                          () -> servers.restart(server), Thread.ofPlatform()::start))
              .toList();
      starts.forEach(CompletableFuture::join);
    }
  }

  private interface Pause {
    void set(boolean paused);
  }

  private void away(
      String store,
      Fault.StoreFailure how,
      Duration span,
      Runnable stop,
      Runnable kill,
      Runnable restart,
      Pause pause) {
    switch (how) {
      case STOPS -> stop.run();
      case IS_KILLED -> kill.run();
      case HANGS -> pause.set(true);
    }
    timeline.during(store + FaultTimeline.GONE, () -> park(span));
    if (how == Fault.StoreFailure.HANGS) {
      pause.set(false);
    } else {
      restart.run();
    }
  }

  private void onRedis(String what, Runnable fault) {
    try (var _ = timeline.begin(what, RECONNECT, List.of(FaultTimeline.REDIS))) {
      fault.run();
    }
  }

  private static void park(Duration span) {
    long end = System.nanoTime() + span.toNanos();
    while (System.nanoTime() - end < 0) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }
}
