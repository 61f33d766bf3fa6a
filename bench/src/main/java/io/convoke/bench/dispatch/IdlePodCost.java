package io.convoke.bench.dispatch;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.process.WatchedProcess;
import io.convoke.bench.redis.RedisCommandStats;
import io.convoke.bench.redis.RedisCommandStats.CommandCounts;
import io.convoke.bench.report.CountTable;
import io.convoke.engine.dispatch.AttemptHandler;
import io.convoke.engine.dispatch.Pod;
import io.convoke.engine.dispatch.PodCapacity;
import io.convoke.engine.dispatch.PodId;
import io.convoke.engine.redis.Redis;
import io.convoke.simulator.process.OrphanReaper;
import io.convoke.simulator.stores.EmbeddedRedis;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * The commands of an idle pod, counted by a Redis of its own. Each pod has its own connections, as
 * a pod process has.
 */
final class IdlePodCost {
  private static final Duration SETTLE = Duration.ofSeconds(3);
  private static final Duration WATCHED = Duration.ofSeconds(90);
  private static final int PODS = 8;

  private IdlePodCost() {}

  /** One row for Convoke and one for BullMQ's workers, per second and worker. */
  static CountTable measure(
      Path folder,
      OrphanReaper orphanReaper,
      Optional<BullMqScripts> bullMq,
      BenchSettings settings)
      throws Exception {
    boolean quick = settings.rounds() < 3;
    Duration watched = quick ? settings.span() : WATCHED;
    List<AutoCloseable> open = new ArrayList<>();
    List<WatchedProcess> processes = new ArrayList<>();
    try {
      List<String> names = new ArrayList<>();
      List<RedisCommandStats> stats = new ArrayList<>();
      if (bullMq.isPresent()) {
        String url = server(folder.resolve("idle-bullmq"), orphanReaper, open);
        WatchedProcess workers = bullMq.get().workers(url, PODS, 4);
        boolean _ = open.add(workers);
        boolean _ = processes.add(workers);
        names.add(BullMqScripts.NAME);
        stats.add(watch(url, open));
      }
      String url = server(folder.resolve("idle-convoke"), orphanReaper, open);
      for (int i = 0; i < PODS; i++) {
        Redis redis = Redis.open(url);
        boolean _ = open.add(redis);
        boolean _ =
            open.add(
                new Pod(
                    redis,
                    new PodId("idle-" + i, "eu"),
                    4,
                    PodCapacity.COUNT_ONLY,
                    ConvokeDispatchCandidate.TERMS,
                    run -> new AttemptHandler.AttemptOutcome.AttemptDone()));
      }
      names.add(ConvokeDispatchCandidate.NAME);
      stats.add(watch(url, open));
      LockSupport.parkNanos(quick ? watched.toNanos() : SETTLE.toNanos());
      List<CommandCounts> before = stats.stream().map(RedisCommandStats::now).toList();
      LockSupport.parkNanos(watched.toNanos());
      List<CountTable.CountRow> rows = new ArrayList<>();
      for (int i = 0; i < names.size(); i++) {
        rows.add(row(names.get(i), stats.get(i).now().since(before.get(i)), watched));
      }
      processes.forEach(WatchedProcess::requireRunning);
      return new CountTable(
          "idle for " + watched.toSeconds() + " s",
          List.of("sent/s", "blocking", "scripts", "pings", "inside scripts"),
          rows);
    } finally {
      for (AutoCloseable one : open.reversed()) {
        one.close();
      }
    }
  }

  private static CountTable.CountRow row(
      String name, CommandCounts commandCounts, Duration watched) {
    double each = PODS * (watched.toNanos() / 1e9);
    double blocking = commandCounts.of("blpop", "bzpopmin") / each;
    double scripts = commandCounts.of("evalsha", "eval") / each;
    double pings = commandCounts.of("ping") / each;
    double sent = blocking + scripts + pings;
    return CountTable.CountRow.of(
        name, sent, blocking, scripts, pings, commandCounts.all() / each - sent);
  }

  private static RedisCommandStats watch(String url, List<AutoCloseable> open) {
    RedisCommandStats stats = new RedisCommandStats(url);
    boolean _ = open.add(stats);
    return stats;
  }

  private static String server(Path folder, OrphanReaper orphanReaper, List<AutoCloseable> open) {
    EmbeddedRedis server = EmbeddedRedis.start(folder, orphanReaper);
    boolean _ = open.add(server);
    return server.url();
  }
}
