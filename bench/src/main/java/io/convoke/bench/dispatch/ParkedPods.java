package io.convoke.bench.dispatch;

import io.convoke.bench.redis.CommandStats;
import io.convoke.bench.redis.CommandStats.Counted;
import io.convoke.bench.report.Counts;
import io.convoke.engine.dispatch.Capacity;
import io.convoke.engine.dispatch.Enqueued;
import io.convoke.engine.dispatch.Handler;
import io.convoke.engine.dispatch.Pod;
import io.convoke.engine.dispatch.PodName;
import io.convoke.engine.dispatch.Tasks;
import io.convoke.engine.redis.Redis;
import io.convoke.lab.stores.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The number of pods that one task wakes. All pods wait; one task at a time is taken in, and the
 * next one only when all wait again. A woken pod waits again, so the ended blocking pops are the
 * pods that woke.
 */
final class ParkedPods {
  private static final int PODS = 64;

  /** More than one: a pod whose only slot is taken waits anew by itself when it is free. */
  private static final int SLOTS = 4;

  private static final int TASKS = 50;
  private static final Duration PARKED_MAX = Duration.ofSeconds(20);

  private ParkedPods() {}

  /** Pods that woke and commands that were sent, each for one task. */
  static Counts measure(RedisServer server) {
    List<Pod> pods = new ArrayList<>();
    AtomicInteger begun = new AtomicInteger();
    try (CommandStats stats = new CommandStats(server.url());
        Redis redis = Redis.open(server.url())) {
      ConvokeLine.compare(redis);
      for (int i = 0; i < PODS; i++) {
        pods.add(
            new Pod(
                redis,
                new PodName("parked-" + i, "eu"),
                SLOTS,
                Capacity.COUNT_ONLY,
                ConvokeLine.TERMS,
                run -> {
                  int _ = begun.incrementAndGet();
                  return new Handler.Outcome.Done();
                }));
      }
      await(stats, begun, 0);
      Tasks tasks = new Tasks(redis, ConvokeLine.TERMS);
      Counted before = stats.now();
      for (int i = 0; i < TASKS; i++) {
        Enqueued _ = tasks.enqueue(ConvokeLine.task("parked-" + i, "c", "p"));
        await(stats, begun, i + 1);
      }
      Counted counted = stats.now().since(before);
      return new Counts(
          PODS + " pods wait",
          List.of("pods woken/task", "commands sent/task"),
          List.of(
              Counts.Row.of(
                  ConvokeLine.NAME,
                  counted.of("blpop") / (double) TASKS,
                  counted.of("blpop", "evalsha", "eval") / (double) TASKS)));
    } finally {
      pods.forEach(Pod::close);
    }
  }

  private static void await(CommandStats stats, AtomicInteger begun, int wanted) {
    long since = System.nanoTime();
    while (begun.get() < wanted || stats.blocked() < PODS) {
      if (System.nanoTime() - since > PARKED_MAX.toNanos()) {
        throw new IllegalStateException(begun.get() + " tasks begun, not all pods wait");
      }
      LockSupport.parkNanos(500_000);
    }
  }
}
