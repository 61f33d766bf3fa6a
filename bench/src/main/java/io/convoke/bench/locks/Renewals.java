package io.convoke.bench.locks;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.Progress;
import io.convoke.bench.redis.CommandStats;
import io.convoke.bench.redis.CommandStats.Counted;
import io.convoke.bench.report.Counts;
import io.convoke.engine.lease.LeaseTerms;
import io.convoke.lab.child.Guardian;
import io.convoke.lab.stores.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/**
 * What it costs to keep many locks: all held at the same time for the same while, each kind on a
 * Redis of its own, which counts the commands.
 */
final class Renewals {
  private static final Duration WATCHED = Duration.ofSeconds(60);
  private static final int THREADS = 64;

  /** A quick slice lives ten times faster. */
  private static final int QUICKER = 10;

  private Renewals() {}

  /** What was counted, and locks that were not there any more after it. */
  record Outcome(Counts counts, long lost) {
    double ratio(int row, int other, int column) {
      return counts.rows().get(row).values().get(column)
          / counts.rows().get(other).values().get(column);
    }
  }

  private record Held(String name, RedisServer server, Holder holder, CommandStats stats)
      implements AutoCloseable {
    @Override
    public void close() {
      stats.close();
      holder.close();
      server.close();
    }
  }

  /** A row for our terms of seed 000, one for ours at Redisson's terms, one for Redisson. */
  static Outcome measure(Path folder, Guardian guardian, BenchSettings settings, Progress progress)
      throws Exception {
    boolean quick = settings.rounds() < 3;
    int locks = settings.active();
    int divisor = quick ? QUICKER : 1;
    Duration watched = WATCHED.dividedBy(divisor);
    List<Held> all = new ArrayList<>();
    try {
      all.add(ours("ours, 120 s / 30 s", folder.resolve("long"), guardian, 120, 30, divisor));
      all.add(ours("ours, 30 s / 10 s", folder.resolve("short"), guardian, 30, 10, divisor));
      RedisServer server = RedisServer.start(folder.resolve("redisson"), guardian);
      all.add(
          new Held(
              "redisson, 30 s / 10 s",
              server,
              new RedissonLocks(server.url(), 30_000 / divisor),
              new CommandStats(server.url())));
      for (Held held : all) {
        hold(held.holder, locks);
      }
      progress.say("%,d locks of each are held for %d s".formatted(locks, watched.toSeconds()));
      List<Counted> before = all.stream().map(held -> held.stats.now()).toList();
      LockSupport.parkNanos(watched.toNanos());
      List<Counts.Row> rows = new ArrayList<>();
      long lost = 0;
      for (int i = 0; i < all.size(); i++) {
        Held held = all.get(i);
        Counted counted = held.stats.now().since(before.get(i));
        double seconds = watched.toNanos() / 1e9;
        rows.add(
            Counts.Row.of(
                held.name,
                counted.all() / seconds,
                counted.of("evalsha", "eval", "ping") / seconds,
                counted.microsOf("evalsha", "eval", "ping") / 1e3 / seconds));
        lost += Math.max(0, locks - held.stats.keys());
      }
      return new Outcome(
          new Counts(
              "%,d held".formatted(locks),
              List.of("commands/s", "of them sent/s", "Redis ms/s"),
              rows),
          lost);
    } finally {
      all.forEach(Held::close);
    }
  }

  private static Held ours(
      String name, Path folder, Guardian guardian, int timeout, int interval, int divisor) {
    RedisServer server = RedisServer.start(folder, guardian);
    LeaseTerms terms =
        new LeaseTerms(
            Duration.ofSeconds(timeout).dividedBy(divisor),
            Duration.ofSeconds(interval).dividedBy(divisor));
    return new Held(name, server, new Leases(server.url(), terms), new CommandStats(server.url()));
  }

  private static void hold(Holder holder, int locks) throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> each = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int first = i;
        each.add(
            threads.submit(
                () -> {
                  for (int key = first; key < locks; key += THREADS) {
                    holder.hold("lock:" + key);
                  }
                  return first;
                }));
      }
      for (Future<?> one : each) {
        var _ = one.get();
      }
    }
  }
}
