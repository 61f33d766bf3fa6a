package io.convoke.engine.dispatch;

import io.convoke.engine.redis.Redis;
import io.convoke.lab.child.Guardian;
import io.convoke.lab.stores.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * Whole lives of tasks on one connection, as many at once as fit: {@code LongLife <tasks>}. What
 * the functions cost, without pods; a benchmark beside others is {@code bench dispatch}'s.
 */
final class LongLife {
  private static final int WINDOW = 1000;
  private static final int SLOTS = 50;

  private LongLife() {}

  public static void main(String[] args) throws IOException {
    int count = Integer.parseInt(args[0]);
    try (Guardian guardian = new Guardian();
        RedisServer server = RedisServer.start(Files.createTempDirectory("long-life"), guardian);
        Redis redis = Redis.open(server.url())) {
      Functions functions = new Functions(Scripts.LIVE, Place.ONE, DispatchTerms.seed());
      lives(redis, functions, "warm-", count / 4);
      long began = System.nanoTime();
      lives(redis, functions, "t-", count);
      double seconds = (System.nanoTime() - began) / 1e9;
      System.out.printf("%,d tasks, whole lives: %,.0f a second%n", count, count / seconds);
    }
  }

  private static void lives(Redis redis, Functions functions, String prefix, int count) {
    List<Integer> slots = IntStream.range(0, SLOTS).boxed().toList();
    for (int from = 0; from < count; from += WINDOW) {
      List<CompletableFuture<?>> sent = new ArrayList<>();
      for (int i = from; i < from + WINDOW; i += SLOTS) {
        List<Arrival> some =
            IntStream.range(i, i + SLOTS)
                .mapToObj(n -> Arrival.of(Kit.task(prefix + n, "eu", "c" + n % 100)))
                .toList();
        sent.add(functions.enqueue(some).begin(redis).toCompletableFuture());
      }
      List<CompletableFuture<Claimed>> claims = new ArrayList<>();
      for (int i = 0; i < WINDOW / SLOTS; i++) {
        claims.add(
            functions
                .claim(Kit.EU, SLOTS, slots, Capacity.COUNT_ONLY, 1)
                .begin(redis)
                .toCompletableFuture());
      }
      for (CompletableFuture<Claimed> claim : claims) {
        List<Held> held =
            claim.join().tasks().stream().map(task -> new Held(task.id(), task.fence())).toList();
        sent.add(functions.renew(Kit.EU, SLOTS, 0, held).begin(redis).toCompletableFuture());
        sent.add(functions.complete("pod-eu", held).begin(redis).toCompletableFuture());
      }
      sent.forEach(CompletableFuture::join);
    }
  }
}
