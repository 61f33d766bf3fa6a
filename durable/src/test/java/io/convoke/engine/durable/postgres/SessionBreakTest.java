package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.provider.LockStatus;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.simulator.stores.EmbeddedPostgres;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node whose session breaks is not dead: no other node takes over its work. */
class SessionBreakTest extends NodeTestKit {
  private static final LongPollConfig ON = LongPollConfig.defaults().on();

  @Test
  void aNodeThatListensAgainKeepsItsOwnWork() throws Exception {
    PostgresProvider node = provider(ON);
    awaitIdle(node, 0);
    insertWork("now()");
    WorkItem held = node.fetchWorkItem(LOCK, LONG).orElseThrow();
    cut(node);
    assertThat(node.fetchWorkItem(LOCK, Duration.ofSeconds(1))).isEmpty();
    assertThat(node.ackWorkItem(held.lockToken(), Optional.empty())).isEqualTo(LockStatus.HELD);
  }

  @Tag("nightly")
  @Test
  void noOtherNodeTakesTheWorkOfANodeThatListensAgain() throws Exception {
    PostgresProvider node = provider(ON);
    awaitIdle(node, 0);
    insertWork("now()");
    WorkItem held = node.fetchWorkItem(LOCK, LONG).orElseThrow();
    PostgresProvider other = provider(ON);
    awaitIdle(other, 0);
    awaitScan(storeTime());
    cut(node);
    assertThat(other.fetchWorkItem(LOCK, Duration.ofSeconds(3))).isEmpty();
    assertThat(node.ackWorkItem(held.lockToken(), Optional.empty())).isEqualTo(LockStatus.HELD);
  }

  /** The same for an activity that ends while Postgres is unreachable. */
  @Tag("nightly")
  @Test
  void activitiesRunOnceThoughPostgresIsRestarted() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    AtomicInteger begun = new AtomicInteger();
    CountDownLatch during = new CountDownLatch(1);
    CountDownLatch after = new CountDownLatch(1);
    try (EmbeddedPostgres embeddedPostgres = LocalStores.forTests().ownPostgres();
        Durable engine =
            Durable.on(embeddedPostgres.url("postgres"))
                .activity(
                    "works",
                    Boolean.class,
                    (context, late) -> {
                      int _ = calls.incrementAndGet();
                      int _ = begun.incrementAndGet();
                      (late ? after : during).await();
                      return late;
                    })
                .workflow(
                    "run",
                    Boolean.class,
                    (context, late) -> context.activity("works", late, Boolean.class))
                .start()) {
      engine.start("run", "during", false);
      engine.start("run", "after", true);
      await("both run", () -> begun.get() == 2);
      PostgresProvider provider = (PostgresProvider) engine.provider();
      await("it listens", provider::announced);
      long connects = provider.connects();
      embeddedPostgres.stop();
      during.countDown();
      await("it has noticed", () -> !provider.announced());
      embeddedPostgres.restart();
      await("it listens again", () -> provider.connects() > connects && provider.announced());
      assertThat(engine.await("during", Boolean.class, LONG)).isFalse();
      assertThat(provider.fetchWorkItem(LOCK, Duration.ofSeconds(1))).isEmpty();
      after.countDown();
      assertThat(engine.await("after", Boolean.class, LONG)).isTrue();
    }
    assertThat(calls).hasValue(2);
  }

  /** Breaks the LISTEN connections, and waits for the scan after the reconnect. */
  private void cut(PostgresProvider node) {
    long connects = node.connects();
    terminate("convoke-listener");
    await("it listens again", () -> node.connects() > connects);
    Instant again = storeTime();
    awaitScan(again.minusMillis(50));
  }
}
