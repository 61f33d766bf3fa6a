package io.convoke.engine.dispatch;

import io.convoke.engine.redis.Redis;
import io.convoke.simulator.process.OrphanReaper;
import io.convoke.simulator.stores.EmbeddedRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * The model test for a given time: {@code LongModel <seconds> <seed>}. Prints its counts, or throws
 * with the seed and the round.
 */
final class LongModel {
  private static final int PLACES = 200;
  private static final long SLICE = 20_000;

  private LongModel() {}

  public static void main(String[] args) throws IOException {
    long seconds = Long.parseLong(args[0]);
    long seed = Long.parseLong(args[1]);
    Path folder = Files.createTempDirectory("long-model");
    try (OrphanReaper orphanReaper = new OrphanReaper();
        EmbeddedRedis server = EmbeddedRedis.start(folder, orphanReaper);
        Redis redis = Redis.open(server.url())) {
      // Without an append-only file, which would grow by gigabytes.
      String _ = redis.call(commands -> commands.configSet("appendonly", "no"));
      long began = System.nanoTime();
      ModelRun run = new ModelRun(redis, PLACES, seed, "long-");
      Map<String, Long> counts;
      do {
        counts = run.run(SLICE);
      } while (System.nanoTime() - began < seconds * 1_000_000_000L);
      System.out.printf(
          "seed %d: %,d operations in %d s, none illegal: %s%n",
          seed,
          counts.values().stream().mapToLong(Long::longValue).sum(),
          (System.nanoTime() - began) / 1_000_000_000,
          counts);
    }
  }
}
