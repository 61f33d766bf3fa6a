package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.wake.Listener;
import io.convoke.lab.stores.RedisServer;
import io.convoke.lab.stores.Stores;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server that does not reach Redis, beside one that does; nobody tends. */
class CutOffTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final DispatchTerms TERMS = DispatchTerms.seed();

  private final RedisServer server = Stores.forTests().ownRedis();
  private final RedisServer gone = Stores.forTests().ownRedis();
  private final Redis redis = Redis.open(server.url());
  private final Redis silent = Redis.open(gone.url());
  private final DatabaseUrl url = DatabaseUrl.parse(Stores.forTests().freshDatabase());
  private final Database database = Database.open(url, 4, "dispatch", List.of("public"));
  private final PostgresLedger ledger = new PostgresLedger(database, (tx, moves) -> {});
  private final Tasks tasks = new Tasks(redis, TERMS);
  private final Dispatch near = new Dispatch(tasks, ledger);
  private final Dispatch cutOff = new Dispatch(new Tasks(silent, TERMS), ledger);
  private final Listener listener =
      new Listener(
          url,
          Map.of(
              PostgresLedger.CHANNEL,
              new Listener.Receiver() {
                @Override
                public void notified(String payload) {
                  near.tellUnheard();
                }

                @Override
                public void rescan() {}
              }));

  @BeforeEach
  void cutOff() {
    database.run(
        tx -> {
          int _ = tx.sql(DispatchTest.ddl()).update();
        });
    gone.kill();
    awaitUntil(listener::listening);
  }

  @AfterEach
  void close() {
    listener.close();
    near.close();
    cutOff.close();
    redis.close();
    silent.close();
    server.close();
    gone.close();
    database.close();
  }

  @Test
  void aStopIsToldRedisByAnotherServerAtOnce() {
    assertThat(near.submit(Kit.task("a", "eu", "room"))).isInstanceOf(Enqueued.Created.class);
    assertThat(cutOff.stop("a").word()).isEqualTo(Word.APPLIED);
    awaitUntil(() -> find("a").state().terminal());
    assertThat(find("a").state()).isEqualTo(TaskState.FAILED);
    assertThat(find("a").error()).isEqualTo("stopped");
  }

  private Task find(String id) {
    return tasks.find(id).orElseThrow();
  }

  private static void awaitUntil(BooleanSupplier done) {
    long deadline = System.nanoTime() + LONG.toNanos();
    while (!done.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.onSpinWait();
    }
  }
}
