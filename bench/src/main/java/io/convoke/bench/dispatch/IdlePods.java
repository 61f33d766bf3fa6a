package io.convoke.bench.dispatch;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.child.Watched;
import io.convoke.bench.redis.CommandStats;
import io.convoke.bench.redis.CommandStats.Counted;
import io.convoke.bench.report.Counts;
import io.convoke.engine.dispatch.Capacity;
import io.convoke.engine.dispatch.Handler;
import io.convoke.engine.dispatch.Pod;
import io.convoke.engine.dispatch.PodName;
import io.convoke.engine.redis.Redis;
import io.convoke.lab.child.Guardian;
import io.convoke.lab.stores.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * What a pod asks while there is nothing to do, by the count of a Redis that it has for itself.
 * Each pod has a way to Redis of its own, as a pod that is a program has.
 */
final class IdlePods {
  private static final Duration SETTLE = Duration.ofSeconds(3);
  private static final Duration WATCHED = Duration.ofSeconds(90);
  private static final int PODS = 8;

  private IdlePods() {}

  /** A row for ours and one for BullMQ's workers, a second and for one of them. */
  static Counts measure(
      Path folder, Guardian guardian, Optional<BullMq> bullMq, BenchSettings settings)
      throws Exception {
    boolean quick = settings.rounds() < 3;
    Duration watched = quick ? settings.span() : WATCHED;
    List<AutoCloseable> open = new ArrayList<>();
    try {
      List<String> names = new ArrayList<>();
      List<CommandStats> stats = new ArrayList<>();
      if (bullMq.isPresent()) {
        String url = server(folder.resolve("idle-bullmq"), guardian, open);
        Watched workers = bullMq.get().workers(url, PODS, 4);
        boolean _ = open.add(workers);
        names.add(BullMq.NAME);
        stats.add(watch(url, open));
      }
      String url = server(folder.resolve("idle-convoke"), guardian, open);
      for (int i = 0; i < PODS; i++) {
        Redis redis = Redis.open(url);
        boolean _ = open.add(redis);
        boolean _ =
            open.add(
                new Pod(
                    redis,
                    new PodName("idle-" + i, "eu"),
                    4,
                    Capacity.COUNT_ONLY,
                    ConvokeLine.TERMS,
                    run -> new Handler.Outcome.Done()));
      }
      names.add(ConvokeLine.NAME);
      stats.add(watch(url, open));
      LockSupport.parkNanos(quick ? watched.toNanos() : SETTLE.toNanos());
      List<Counted> before = stats.stream().map(CommandStats::now).toList();
      LockSupport.parkNanos(watched.toNanos());
      List<Counts.Row> rows = new ArrayList<>();
      for (int i = 0; i < names.size(); i++) {
        rows.add(row(names.get(i), stats.get(i).now().since(before.get(i)), watched));
      }
      return new Counts(
          "idle for " + watched.toSeconds() + " s",
          List.of("sent/s", "blocking", "scripts", "pings", "inside scripts"),
          rows);
    } finally {
      for (AutoCloseable one : open.reversed()) {
        one.close();
      }
    }
  }

  private static Counts.Row row(String name, Counted counted, Duration watched) {
    double each = PODS * (watched.toNanos() / 1e9);
    double blocking = counted.of("blpop", "bzpopmin") / each;
    double scripts = counted.of("evalsha", "eval") / each;
    double pings = counted.of("ping") / each;
    double sent = blocking + scripts + pings;
    return Counts.Row.of(name, sent, blocking, scripts, pings, counted.all() / each - sent);
  }

  private static CommandStats watch(String url, List<AutoCloseable> open) {
    CommandStats stats = new CommandStats(url);
    boolean _ = open.add(stats);
    return stats;
  }

  private static String server(Path folder, Guardian guardian, List<AutoCloseable> open) {
    RedisServer server = RedisServer.start(folder, guardian);
    boolean _ = open.add(server);
    return server.url();
  }
}
