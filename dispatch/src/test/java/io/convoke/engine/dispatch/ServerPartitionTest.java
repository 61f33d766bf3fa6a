package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.wake.PostgresListener;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One server reaches Redis, another does not; no maintainer runs. */
class ServerPartitionTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final DispatchConfig CONFIG = DispatchConfig.seed();

  private final EmbeddedRedis server = LocalStores.forTests().ownRedis();
  private final EmbeddedRedis gone = LocalStores.forTests().ownRedis();
  private final Redis redis = Redis.open(server.url());
  private final Redis silent = Redis.open(gone.url());
  private final DatabaseUrl url = DatabaseUrl.parse(LocalStores.forTests().freshDatabase());
  private final Database database = Database.open(url, 4, "dispatch", List.of("public"));
  private final PostgresTaskStore ledger = new PostgresTaskStore(database, (tx, moves) -> {});
  private final TaskQueue taskQueue = new TaskQueue(redis, CONFIG);
  private final DispatchService near = new DispatchService(taskQueue, ledger);
  private final DispatchService cutOff = new DispatchService(new TaskQueue(silent, CONFIG), ledger);
  private final PostgresListener postgresListener =
      new PostgresListener(
          url,
          Map.of(
              PostgresTaskStore.CHANNEL,
              new PostgresListener.NotificationReceiver() {
                @Override
                public void notified(String payload) {
                  near.deliverPending();
                }

                @Override
                public void rescan() {}
              }));

  @BeforeEach
  void cutOff() {
    database.run(
        tx -> {
          int _ = tx.sql(DispatchServiceTest.ddl()).update();
        });
    gone.kill();
    // The key space was compared with the database before.
    String _ = redis.call(commands -> commands.set(KeySpace.ONE.generation(), "g"));
    awaitUntil(postgresListener::listening);
  }

  @AfterEach
  void close() {
    postgresListener.close();
    near.close();
    cutOff.close();
    redis.close();
    silent.close();
    server.close();
    gone.close();
    database.close();
  }

  @Test
  void anotherServerDeliversAStopToRedisAtOnce() {
    assertThat(near.submit(DispatchTestKit.task("a", "eu", "room")))
        .isInstanceOf(EnqueueResult.Created.class);
    assertThat(cutOff.stop("a").result()).isEqualTo(TransitionResult.APPLIED);
    awaitUntil(() -> find("a").state().terminal());
    assertThat(find("a").state()).isEqualTo(TaskState.FAILED);
    assertThat(find("a").error()).isEqualTo("stopped");
  }

  private Task find(String id) {
    return taskQueue.find(id).orElseThrow();
  }

  private static void awaitUntil(BooleanSupplier done) {
    long deadline = System.nanoTime() + LONG.toNanos();
    while (!done.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      LockSupport.parkNanos(10_000_000);
    }
  }
}
