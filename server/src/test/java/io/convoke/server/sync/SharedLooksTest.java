package io.convoke.server.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.redis.Redis;
import io.convoke.lab.stores.RedisServer;
import io.convoke.lab.stores.Stores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Many who look at the same time, and a Redis that is quick, silent or away. */
class SharedLooksTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  @Test
  void whoComesWhileACommandIsOnItsWaySharesTheNextOne() throws Exception {
    try (RedisServer server = Stores.forTests().ownRedis();
        Redis redis = connected(server)) {
      SharedLooks looks = new SharedLooks(reads(redis), LONG, () -> {});
      for (int i = 0; i < 30; i++) {
        String key = "k" + i;
        String _ = redis.call(commands -> commands.set(key, "of " + key));
      }
      long before = mgets(redis);
      server.pause(true);
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        List<Future<Seen>> all = new ArrayList<>();
        all.add(threads.submit(() -> looks.look(List.of("k0"))));
        while (looks.waiting() > 0 || !looks.sent()) {
          Thread.onSpinWait();
        }
        for (int i = 1; i < 30; i++) {
          String key = "k" + i;
          all.add(threads.submit(() -> looks.look(List.of(key))));
        }
        while (looks.waiting() < 29) {
          Thread.onSpinWait();
        }
        server.pause(false);
        for (int i = 0; i < 30; i++) {
          KeptText text = all.get(i).get(20, TimeUnit.SECONDS).values().get("k" + i);
          assertThat(text).isNotNull().extracting(KeptText::text).isEqualTo("of k" + i);
        }
      }
      assertThat(mgets(redis) - before).isEqualTo(2);
    }
  }

  @Test
  void nobodyWaitsLongForARedisThatSaysNothing() throws Exception {
    AtomicInteger troubles = new AtomicInteger();
    try (RedisServer server = Stores.forTests().ownRedis();
        Redis redis = connected(server)) {
      SharedLooks looks =
          new SharedLooks(
              reads(redis),
              Duration.ofMillis(50),
              () -> {
                int _ = troubles.incrementAndGet();
              });
      server.pause(true);
      try {
        assertThat(looks.look(List.of("k"))).isEqualTo(Seen.NOTHING);
        assertThat(troubles).hasValue(1);
        assertThat(looks.look(List.of("k"))).as("the clock runs again").isEqualTo(Seen.NOTHING);
      } finally {
        server.pause(false);
      }
      Seen seen = looks.look(List.of("k"));
      while (seen.way().isEmpty()) {
        seen = looks.look(List.of("k"));
      }
      assertThat(seen.values()).isEmpty();
    }
  }

  @Test
  void aRedisThatIsAwayHasNothing() {
    try (Redis redis = Redis.open("redis://127.0.0.1:1")) {
      SharedLooks looks = new SharedLooks(reads(redis), LONG, () -> {});
      assertThat(looks.look(List.of("k"))).isEqualTo(Seen.NOTHING);
      assertThat(looks.look(List.of("k"))).isEqualTo(Seen.NOTHING);
    }
  }

  private static TrackedReads reads(Redis redis) {
    return new TrackedReads(redis, Readers.fresh(), text -> true);
  }

  /** A way to Redis that is up. */
  static Redis connected(RedisServer server) throws InterruptedException {
    Redis redis = Redis.open(server.url());
    CountDownLatch up = new CountDownLatch(1);
    redis.onConnect(up::countDown);
    assertThat(up.await(20, TimeUnit.SECONDS)).isTrue();
    return redis;
  }

  /** How often Redis was asked for several keys. */
  static long mgets(Redis redis) {
    String stats = redis.call(commands -> commands.info("commandstats"));
    return stats
        .lines()
        .filter(line -> line.startsWith("cmdstat_mget:calls="))
        .mapToLong(line -> Long.parseLong(line.substring(19, line.indexOf(','))))
        .findFirst()
        .orElse(0);
  }
}
