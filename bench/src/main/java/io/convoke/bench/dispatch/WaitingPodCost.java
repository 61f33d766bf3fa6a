package io.convoke.bench.dispatch;

import io.convoke.bench.redis.RedisCommandStats;
import io.convoke.bench.redis.RedisCommandStats.CommandCounts;
import io.convoke.bench.report.CountTable;
import io.convoke.engine.dispatch.AttemptHandler;
import io.convoke.engine.dispatch.EnqueueResult;
import io.convoke.engine.dispatch.Pod;
import io.convoke.engine.dispatch.PodCapacity;
import io.convoke.engine.dispatch.PodId;
import io.convoke.engine.dispatch.TaskQueue;
import io.convoke.engine.redis.Redis;
import io.convoke.simulator.stores.EmbeddedRedis;
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
final class WaitingPodCost {
  private static final int PODS = 64;

  /** More than one: a pod whose only slot is taken waits again by itself when it is free. */
  private static final int SLOTS = 4;

  private static final int TASKS = 50;
  private static final Duration PARKED_MAX = Duration.ofSeconds(20);

  private WaitingPodCost() {}

  /** Pods that woke and commands that were sent, each for one task. */
  static CountTable measure(EmbeddedRedis server) {
    List<Pod> pods = new ArrayList<>();
    AtomicInteger begun = new AtomicInteger();
    try (RedisCommandStats stats = new RedisCommandStats(server.url());
        Redis redis = Redis.open(server.url())) {
      ConvokeDispatchCandidate.compare(redis);
      for (int i = 0; i < PODS; i++) {
        pods.add(
            new Pod(
                redis,
                new PodId("parked-" + i, "eu"),
                SLOTS,
                PodCapacity.COUNT_ONLY,
                ConvokeDispatchCandidate.TERMS,
                run -> {
                  int _ = begun.incrementAndGet();
                  return new AttemptHandler.AttemptOutcome.AttemptDone();
                }));
      }
      await(stats, begun, 0);
      TaskQueue taskQueue = new TaskQueue(redis, ConvokeDispatchCandidate.TERMS);
      CommandCounts before = stats.now();
      for (int i = 0; i < TASKS; i++) {
        EnqueueResult _ = taskQueue.enqueue(ConvokeDispatchCandidate.task("parked-" + i, "c", "p"));
        await(stats, begun, i + 1);
      }
      CommandCounts commandCounts = stats.now().since(before);
      return new CountTable(
          PODS + " pods wait",
          List.of("pods woken/task", "commands sent/task"),
          List.of(
              CountTable.CountRow.of(
                  ConvokeDispatchCandidate.NAME,
                  commandCounts.of("blpop") / (double) TASKS,
                  commandCounts.of("blpop", "evalsha", "eval") / (double) TASKS)));
    } finally {
      pods.forEach(Pod::close);
    }
  }

  private static void await(RedisCommandStats stats, AtomicInteger begun, int wanted) {
    long since = System.nanoTime();
    while (begun.get() < wanted || stats.blocked() < PODS) {
      if (System.nanoTime() - since > PARKED_MAX.toNanos()) {
        throw new IllegalStateException(begun.get() + " tasks begun, not all pods wait");
      }
      LockSupport.parkNanos(500_000);
    }
  }
}
