package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.provider.ProviderFailure;
import io.convoke.engine.durable.runtime.DispatcherPool.DispatcherCounts;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.simulator.stores.LocalStores;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What has run is not run again while the store refuses its commit for most of its lock. A claim
 * may have waited for half of a lock, so after that half the lock may be over, or not.
 */
class CommitRetryTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Duration LOCK = Duration.ofSeconds(4);
  private static final Duration AWAY = Duration.ofSeconds(3);
  private static final LongPollConfig ON = LongPollConfig.defaults().on();

  private final String url = LocalStores.forTests().freshDatabase();
  private final AtomicInteger runs = new AtomicInteger();
  private final AtomicLong ran = new AtomicLong();

  @Tag("nightly")
  @Test
  void aStepWhoseTurnIsNotCommittedForMostOfItsLockRunsOnce() throws Exception {
    try (Durable engine =
        engine()
            .workflow(
                "steps",
                Integer.class,
                (context, input) -> context.step("one", Integer.class, this::run))
            .start()) {
      engine.start("steps", "s", 0);
      assertThat(engine.await("s", Integer.class, LONG)).isEqualTo(1);
    }
  }

  @Tag("nightly")
  @Test
  void anActivityWhoseResultIsNotCommittedForMostOfItsLockRunsOnce() throws Exception {
    try (Durable engine =
        engine()
            .activity("one", Integer.class, (context, input) -> run())
            .workflow(
                "orders",
                Integer.class,
                (context, input) -> context.activity("one", 0, Integer.class))
            .start()) {
      engine.start("orders", "o", 0);
      assertThat(engine.await("o", Integer.class, LONG)).isEqualTo(1);
    }
  }

  private int run() {
    ran.compareAndSet(0, System.nanoTime());
    return runs.incrementAndGet();
  }

  /** An engine whose store refuses all commits for a while after the first run. */
  private Durable.Builder engine() {
    Provider provider = PostgresProvider.open(DatabaseUrl.parse(url), "durable", ON);
    return Durable.over(
            InterceptedCalls.of(
                Provider.class,
                (method, _) -> {
                  if (method.startsWith("ack")
                      && ran.get() != 0
                      && System.nanoTime() - ran.get() < AWAY.toNanos()) {
                    throw new ProviderFailure(method, true, new IOException("out of reach"));
                  }
                  return Optional.empty();
                },
                provider),
            ON)
        .size(new DispatcherCounts(4, 4, 100, LOCK, LOCK));
  }
}
