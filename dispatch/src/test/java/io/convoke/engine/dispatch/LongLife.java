package io.convoke.engine.dispatch;

import io.convoke.engine.redis.Redis;
import io.convoke.simulator.process.OrphanReaper;
import io.convoke.simulator.stores.EmbeddedRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * Runs tasks from enqueue to completion on one connection with many calls in flight: {@code
 * LongLife <tasks>}. Measures the cost of the scripts without pods; {@code bench dispatch} compares
 * with other queues.
 */
final class LongLife {
  private static final int WINDOW = 1000;
  private static final int SLOTS = 50;

  private LongLife() {}

  public static void main(String[] args) throws IOException {
    int count = Integer.parseInt(args[0]);
    try (OrphanReaper orphanReaper = new OrphanReaper();
        EmbeddedRedis server =
            EmbeddedRedis.start(Files.createTempDirectory("long-life"), orphanReaper);
        Redis redis = Redis.open(server.url())) {
      TaskScripts taskScripts = new TaskScripts(KeySpace.ONE, DispatchConfig.seed());
      lives(redis, taskScripts, "warm-", count / 4);
      long began = System.nanoTime();
      lives(redis, taskScripts, "t-", count);
      double seconds = (System.nanoTime() - began) / 1e9;
      System.out.printf("%,d tasks, whole lives: %,.0f a second%n", count, count / seconds);
    }
  }

  private static void lives(Redis redis, TaskScripts taskScripts, String prefix, int count) {
    List<Integer> slots = IntStream.range(0, SLOTS).boxed().toList();
    for (int from = 0; from < count; from += WINDOW) {
      List<CompletableFuture<?>> sent = new ArrayList<>();
      for (int i = from; i < from + WINDOW; i += SLOTS) {
        List<EnqueueRequest> some =
            IntStream.range(i, i + SLOTS)
                .mapToObj(
                    n -> EnqueueRequest.of(DispatchTestKit.task(prefix + n, "eu", "c" + n % 100)))
                .toList();
        sent.add(taskScripts.enqueue(some).begin(redis).toCompletableFuture());
      }
      List<CompletableFuture<ClaimResult>> claims = new ArrayList<>();
      for (int i = 0; i < WINDOW / SLOTS; i++) {
        claims.add(
            taskScripts
                .claim(DispatchTestKit.EU, SLOTS, slots, PodCapacity.COUNT_ONLY, 1)
                .begin(redis)
                .toCompletableFuture());
      }
      for (CompletableFuture<ClaimResult> claim : claims) {
        List<TaskLeaseRef> held =
            claim.join().tasks().stream()
                .map(task -> new TaskLeaseRef(task.id(), task.fence()))
                .toList();
        sent.add(
            taskScripts
                .renew(DispatchTestKit.EU, SLOTS, 0, RenewResult.DrainSetting.NONE, held)
                .begin(redis)
                .toCompletableFuture());
        sent.add(taskScripts.complete("pod-eu", held).begin(redis).toCompletableFuture());
      }
      sent.forEach(CompletableFuture::join);
    }
  }
}
