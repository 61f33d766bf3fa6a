package io.convoke.bench.locks;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.InterleavedRounds;
import io.convoke.bench.Progress;
import io.convoke.bench.report.MeasuredSample;
import io.convoke.bench.report.RateTable;
import io.convoke.simulator.stores.EmbeddedRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/**
 * Free locks acquired and released by 64 virtual threads. Each uses its own share of the keys, so
 * no thread waits for a lock: waiting would measure the hold time of others.
 */
final class LockCycles {
  private static final int THREADS = 64;
  private static final int KEYS = 10_000;

  private LockCycles() {}

  static RateTable measure(
      List<Locker> lockers, EmbeddedRedis redis, BenchSettings settings, Progress progress)
      throws Exception {
    for (Locker locker : lockers) {
      MeasuredSample _ = turn(locker, settings.warmUp());
    }
    progress.report("locks warmed up");
    RateTable rateTable =
        new RateTable(
            THREADS + " threads",
            InterleavedRounds.interleaved(
                settings.rounds(),
                lockers,
                Locker::name,
                (locker, round) -> {
                  MeasuredSample measuredSample = turn(locker, settings.span());
                  if (!redis.keys("lock:*").isEmpty()) {
                    throw new IllegalStateException(locker.name() + " left locks behind");
                  }
                  return measuredSample;
                }));
    progress.report("locks measured");
    return rateTable;
  }

  private static MeasuredSample turn(Locker locker, Duration span) throws Exception {
    long begun = System.nanoTime();
    long end = begun + span.toNanos();
    Histogram all = MeasuredSample.histogram();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Histogram>> each = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int first = i;
        each.add(threads.submit(() -> rounds(locker, first, end)));
      }
      for (Future<Histogram> one : each) {
        all.add(one.get());
      }
    }
    return MeasuredSample.of(all, 0, Duration.ofNanos(System.nanoTime() - begun));
  }

  private static Histogram rounds(Locker locker, int first, long end) throws Exception {
    Histogram times = MeasuredSample.histogram();
    int key = first;
    long before = System.nanoTime();
    while (before < end) {
      locker.once("lock:" + key);
      key = key + THREADS < KEYS ? key + THREADS : first;
      long after = System.nanoTime();
      times.recordValue(after - before);
      before = after;
    }
    return times;
  }
}
