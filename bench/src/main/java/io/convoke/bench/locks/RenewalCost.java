package io.convoke.bench.locks;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.Progress;
import io.convoke.bench.redis.RedisCommandStats;
import io.convoke.bench.redis.RedisCommandStats.CommandCounts;
import io.convoke.bench.report.CountTable;
import io.convoke.engine.lease.LeaseConfig;
import io.convoke.simulator.process.OrphanReaper;
import io.convoke.simulator.stores.EmbeddedRedis;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/**
 * The cost of renewing many locks: all held at the same time for the same span, each kind on its
 * own Redis, which counts the commands.
 */
final class RenewalCost {
  private static final Duration WATCHED = Duration.ofSeconds(60);
  private static final int THREADS = 64;

  /** Divides all times of a quick slice. */
  private static final int QUICKER = 10;

  private RenewalCost() {}

  /** The counts, and locks that no longer existed afterwards. */
  record RenewalCostResult(CountTable counts, long lost) {
    double ratio(int row, int other, int column) {
      return counts.rows().get(row).values().get(column)
          / counts.rows().get(other).values().get(column);
    }
  }

  private record HeldLocks(
      String name, EmbeddedRedis server, RenewingLocker holder, RedisCommandStats stats)
      implements AutoCloseable {
    @Override
    public void close() {
      stats.close();
      holder.close();
      server.close();
    }
  }

  /**
   * One row for the terms of presence polls, one for Convoke at Redisson's terms, one for Redisson.
   */
  static RenewalCostResult measure(
      Path folder, OrphanReaper orphanReaper, BenchSettings settings, Progress progress)
      throws Exception {
    boolean quick = settings.rounds() < 3;
    int locks = settings.active();
    int divisor = quick ? QUICKER : 1;
    Duration watched = WATCHED.dividedBy(divisor);
    List<HeldLocks> all = new ArrayList<>();
    try {
      all.add(ours("ours, 120 s / 30 s", folder.resolve("long"), orphanReaper, 120, 30, divisor));
      all.add(ours("ours, 30 s / 10 s", folder.resolve("short"), orphanReaper, 30, 10, divisor));
      EmbeddedRedis server = EmbeddedRedis.start(folder.resolve("redisson"), orphanReaper);
      all.add(
          new HeldLocks(
              "redisson, 30 s / 10 s",
              server,
              new RedissonLocker(server.url(), 30_000 / divisor),
              new RedisCommandStats(server.url())));
      for (HeldLocks heldLocks : all) {
        hold(heldLocks.holder, locks);
      }
      progress.report("%,d locks of each are held for %d s".formatted(locks, watched.toSeconds()));
      List<CommandCounts> before = all.stream().map(heldLocks -> heldLocks.stats.now()).toList();
      LockSupport.parkNanos(watched.toNanos());
      List<CountTable.CountRow> rows = new ArrayList<>();
      long lost = 0;
      for (int i = 0; i < all.size(); i++) {
        HeldLocks heldLocks = all.get(i);
        CommandCounts commandCounts = heldLocks.stats.now().since(before.get(i));
        double seconds = watched.toNanos() / 1e9;
        rows.add(
            CountTable.CountRow.of(
                heldLocks.name,
                commandCounts.all() / seconds,
                commandCounts.of("evalsha", "eval", "ping") / seconds,
                commandCounts.microsOf("evalsha", "eval", "ping") / 1e3 / seconds));
        lost += Math.max(0, locks - heldLocks.stats.keys());
      }
      return new RenewalCostResult(
          new CountTable(
              "%,d held".formatted(locks),
              List.of("commands/s", "of them sent/s", "Redis ms/s"),
              rows),
          lost);
    } finally {
      all.forEach(HeldLocks::close);
    }
  }

  private static HeldLocks ours(
      String name, Path folder, OrphanReaper orphanReaper, int timeout, int interval, int divisor) {
    EmbeddedRedis server = EmbeddedRedis.start(folder, orphanReaper);
    LeaseConfig terms =
        new LeaseConfig(
            Duration.ofSeconds(timeout).dividedBy(divisor),
            Duration.ofSeconds(interval).dividedBy(divisor));
    return new HeldLocks(
        name,
        server,
        new ConvokeLeaseLocker(server.url(), terms),
        new RedisCommandStats(server.url()));
  }

  private static void hold(RenewingLocker renewingLocker, int locks) throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> each = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int first = i;
        each.add(
            threads.submit(
                () -> {
                  for (int key = first; key < locks; key += THREADS) {
                    renewingLocker.hold("lock:" + key);
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
