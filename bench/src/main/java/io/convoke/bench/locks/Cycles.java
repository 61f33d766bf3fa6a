package io.convoke.bench.locks;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.Progress;
import io.convoke.bench.Rounds;
import io.convoke.bench.load.Histogram;
import io.convoke.bench.report.Sample;
import io.convoke.bench.report.Table;
import io.convoke.lab.stores.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Free locks taken and given back by 64 virtual threads. Each goes round its own share of the keys,
 * so no thread waits for a lock: waiting would measure the hold time of others.
 */
final class Cycles {
  private static final int THREADS = 64;
  private static final int KEYS = 10_000;

  private Cycles() {}

  static Table measure(
      List<Locker> lockers, RedisServer redis, BenchSettings settings, Progress progress)
      throws Exception {
    for (Locker locker : lockers) {
      Sample _ = turn(locker, settings.warmUp());
    }
    progress.say("locks warmed up");
    Table table =
        new Table(
            THREADS + " threads",
            Rounds.interleaved(
                settings.rounds(),
                lockers,
                Locker::name,
                (locker, round) -> {
                  Sample sample = turn(locker, settings.span());
                  if (!redis.keys("lock:*").isEmpty()) {
                    throw new IllegalStateException(locker.name() + " left locks behind");
                  }
                  return sample;
                }));
    progress.say("locks measured");
    return table;
  }

  private static Sample turn(Locker locker, Duration span) throws Exception {
    long begun = System.nanoTime();
    long end = begun + span.toNanos();
    Histogram all = new Histogram();
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
    return new Sample(
        all.total(),
        0,
        Duration.ofNanos(System.nanoTime() - begun),
        all.percentile(0.5),
        all.percentile(0.99),
        Duration.ZERO);
  }

  private static Histogram rounds(Locker locker, int first, long end) throws Exception {
    Histogram times = new Histogram();
    int key = first;
    long before = System.nanoTime();
    while (before < end) {
      locker.once("lock:" + key);
      key = key + THREADS < KEYS ? key + THREADS : first;
      long after = System.nanoTime();
      times.add(after - before);
      before = after;
    }
    return times;
  }
}
