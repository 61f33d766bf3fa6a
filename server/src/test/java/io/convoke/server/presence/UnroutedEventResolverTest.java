package io.convoke.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.QuotaCheck;
import io.convoke.server.launch.Await;
import io.convoke.server.meetings.RoomTracking;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Events whose room is not in the map, and the nodes that look it up. */
class UnroutedEventResolverTest {
  private final PresenceTestKit kit = new PresenceTestKit();
  private final PlatformKeys keys = PlatformKeys.DAILY;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @AfterEach
  void close() {
    var _ = threads.shutdownNow();
    kit.close();
  }

  private UnroutedEventResolver resolver(Database database) {
    RoomMap rooms = new RoomMap(kit.redis, keys);
    rooms.declareWhole("test");
    PresenceConfig terms = PresenceConfig.of(ServerConfig.of(Map.of()));
    return new UnroutedEventResolver(
        kit.redis,
        new MeetingQueries(database),
        new RoomTracking(database, kit.journal, QuotaCheck.NONE),
        rooms,
        new WebhookBuffer(kit.redis, keys, terms),
        new WebhookDeadLetterStore(
            database,
            "daily",
            new PresenceMetrics(new SimpleMeterRegistry()),
            new PresenceTestSignals()),
        keys);
  }

  @Test
  void aNodeThatLostTheLockRemovesNoEventsThatCameLater() throws Exception {
    UnroutedEventResolver resolver = resolver(kit.database);
    push("first");
    CountDownLatch locked = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    CompletableFuture<Void> holding =
        CompletableFuture.runAsync(
            () ->
                kit.database.run(
                    tx -> {
                      int _ = tx.sql("lock table dead_letters in exclusive mode").update();
                      locked.countDown();
                      waitFor(release);
                    }),
            threads);
    locked.await();
    CompletableFuture<Boolean> draining = CompletableFuture.supplyAsync(resolver::drain, threads);
    Await.until(
        "the drain waits for Postgres", () -> kit.database.read(UnroutedEventResolverTest::waits));
    // Its lock has run out, and another node routed what it had read.
    String _ = kit.redis.call(commands -> commands.set(PresenceKeys.UNROUTED_LOCK, "another"));
    long _ = kit.redis.call(commands -> commands.del(PresenceKeys.UNROUTED));
    push("second", "third");
    release.countDown();
    holding.join();

    assertThat(draining.join()).isTrue();
    assertThat(waiting()).containsExactly("second", "third");
    assertThat(kit.redis.<String>call(commands -> commands.get(PresenceKeys.UNROUTED_LOCK)))
        .isEqualTo("another");

    long _ = kit.redis.call(commands -> commands.del(PresenceKeys.UNROUTED_LOCK));
    assertThat(resolver.drain()).isTrue();
    assertThat(waiting()).isEmpty();
    assertThat(kit.redis.<Long>call(commands -> commands.exists(PresenceKeys.UNROUTED_LOCK)))
        .isZero();
  }

  private void push(String... events) {
    long _ = kit.redis.call(commands -> commands.rpush(PresenceKeys.UNROUTED, events));
  }

  private List<String> waiting() {
    return kit.redis.call(commands -> commands.lrange(PresenceKeys.UNROUTED, 0, -1));
  }

  private static boolean waits(Tx tx) {
    return tx.sql("select count(*) as n from pg_locks where not granted")
            .one(resultRow -> resultRow.longAt("n"))
        > 0;
  }

  private static void waitFor(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
