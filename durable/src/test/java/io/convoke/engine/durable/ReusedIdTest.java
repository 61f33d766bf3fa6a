package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.runtime.DispatcherPool.DispatcherCounts;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Instances whose id another one had before, which was deleted. */
class ReusedIdTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final LongPollConfig POLLING = LongPollConfig.defaults();

  private final String url = LocalStores.forTests().freshDatabase();

  /** A node parked the old one after its first turn, and has the second turn of the new one. */
  @Test
  void anInstanceDoesNotGoOnInTheExecutionOfADeletedOne() throws Exception {
    try (Node first = new Node();
        Node second = new Node()) {
      second.pause();
      begin(first, "old");
      first.pause();
      second.resume();
      assertThat(end(second)).isEqualTo("old");
      assertThat(second.engine.provider().admin().delete("sync-42", false)).isTrue();
      begin(second, "new");
      second.pause();
      first.resume();
      assertThat(end(first)).isEqualTo("new");
    }
  }

  private static void begin(Node node, String input) {
    node.engine.start("sync", "sync-42", input);
    await(() -> node.engine.instance("sync-42").isPresent());
  }

  private static String end(Node node) throws Exception {
    node.engine.raise("sync-42", "go", "");
    return node.engine.await("sync-42", String.class, LONG);
  }

  /** A node that takes one turn at a time, and none while it is paused. */
  private final class Node implements AutoCloseable {
    private final AtomicInteger refused = new AtomicInteger();
    private volatile boolean paused;
    private final Durable engine =
        Durable.over(
                InterceptedCalls.of(
                    Provider.class,
                    (method, _) -> answer(method),
                    PostgresProvider.open(DatabaseUrl.parse(url), "durable", POLLING)),
                POLLING)
            .size(new DispatcherCounts(1, 1, 10, LONG, LONG))
            .workflow(
                "sync",
                String.class,
                (context, input) -> input + context.event("go", String.class).get())
            .start();

    private Optional<Object> answer(String method) {
      if (paused && method.equals("fetchOrchestrationItem")) {
        int _ = refused.incrementAndGet();
        return Optional.of(Optional.empty());
      }
      return Optional.empty();
    }

    /** Returns when its dispatcher has ended its last turn. */
    void pause() {
      paused = true;
      int before = refused.get();
      await(() -> refused.get() > before);
    }

    void resume() {
      paused = false;
    }

    @Override
    public void close() {
      engine.close();
    }
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + LONG.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(end);
      LockSupport.parkNanos(10_000_000);
    }
  }
}
