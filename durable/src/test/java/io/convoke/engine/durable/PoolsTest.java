package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.durable.runtime.DispatcherPool;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A full pool of activities does not delay other pools. */
class PoolsTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final DispatcherPool.DispatcherCounts SMALL =
      new DispatcherPool.DispatcherCounts(
          4, 2, 1_000, Duration.ofSeconds(30), Duration.ofSeconds(30));

  private final CountDownLatch release = new CountDownLatch(1);
  private final Set<String> begun = ConcurrentHashMap.newKeySet();
  private final CountDownLatch full = new CountDownLatch(3);

  private Durable.Builder engine(String url, int slow) {
    return Durable.on(url)
        .pool("slow", slow)
        .activity(
            "hang",
            "slow",
            String.class,
            (context, name) -> {
              boolean _ = begun.add(name);
              full.countDown();
              boolean _ = release.await(30, TimeUnit.SECONDS);
              return name;
            })
        .activity("greet", "quick", String.class, (context, name) -> "hello " + name)
        .activity("note", String.class, (context, name) -> "noted " + name)
        .workflow(
            "slow", String.class, (context, name) -> context.activity("hang", name, String.class))
        .workflow(
            "quick", String.class, (context, name) -> context.activity("greet", name, String.class))
        .workflow(
            "ordinary",
            String.class,
            (context, name) -> context.activity("note", name, String.class))
        .size(SMALL);
  }

  @Test
  void aFullPoolWithABacklogDelaysNoOther() throws Exception {
    try (Durable engine = engine(LocalStores.forTests().freshDatabase(), 3).start()) {
      for (int i = 0; i < 200; i++) {
        engine.start("slow", "slow-" + i, "s" + i);
      }
      assertThat(full.await(20, TimeUnit.SECONDS)).isTrue();
      for (int i = 0; i < 20; i++) {
        engine.start("quick", "quick-" + i, "q");
        engine.start("ordinary", "ordinary-" + i, "o");
        assertThat(engine.await("quick-" + i, String.class, SOON)).isEqualTo("hello q");
        assertThat(engine.await("ordinary-" + i, String.class, SOON)).isEqualTo("noted o");
      }
      assertThat(begun).hasSize(3);
      release.countDown();
      for (int i = 0; i < 200; i++) {
        assertThat(engine.await("slow-" + i, String.class, SOON)).isEqualTo("s" + i);
      }
    }
  }

  @Test
  void aNodeWithoutWorkersOfAPoolLeavesItToAnother() throws Exception {
    String url = LocalStores.forTests().freshDatabase();
    release.countDown();
    try (Durable none = engine(url, 0).start()) {
      none.start("slow", "s-1", "a");
      none.start("quick", "q-1", "a");
      assertThat(none.await("q-1", String.class, SOON)).isEqualTo("hello a");
      assertThat(begun).isEmpty();
      try (Durable _ = engine(url, 1).start()) {
        assertThat(none.await("s-1", String.class, SOON)).isEqualTo("a");
      }
    }
  }

  @Test
  void activitiesOfAPlatformPoolRunOnThreadsOfTheSystem() throws Exception {
    try (Durable engine =
        Durable.on(LocalStores.forTests().freshDatabase())
            .platformPool("compute", 2)
            .activity(
                "sum",
                "compute",
                Integer.class,
                (context, n) -> n + " on virtual: " + Thread.currentThread().isVirtual())
            .workflow(
                "sums", Integer.class, (context, n) -> context.activity("sum", n, String.class))
            .start()) {
      engine.start("sums", "s-1", 1);
      assertThat(engine.await("s-1", String.class, SOON)).isEqualTo("1 on virtual: false");
    }
  }

  @Test
  void anAttemptWithoutATimeoutHasThatOfTheEngineUnlessItHasHeartbeats() throws Exception {
    try (Durable engine =
        Durable.on(LocalStores.forTests().freshDatabase())
            .attemptTimeout(Duration.ofMillis(300))
            .activity(
                "hang",
                String.class,
                (context, name) -> {
                  boolean _ = release.await(30, TimeUnit.SECONDS);
                  return name;
                })
            .activity(
                "beat",
                String.class,
                (context, name) -> {
                  long end = System.nanoTime() + Duration.ofMillis(900).toNanos();
                  while (System.nanoTime() < end) {
                    context.heartbeat();
                    Thread.onSpinWait();
                  }
                  return name;
                })
            .workflow(
                "hangs",
                String.class,
                (context, name) -> context.activity("hang", name, String.class))
            .workflow(
                "beats",
                String.class,
                (context, name) ->
                    context.activity(
                        "beat",
                        name,
                        String.class,
                        ActivityOptions.ONCE.beating(Duration.ofSeconds(20))))
            .start()) {
      engine.start("hangs", "h-1", "a");
      assertThatThrownBy(() -> engine.await("h-1", String.class, SOON))
          .isInstanceOf(WorkflowFailedException.class)
          .hasMessageContaining("took longer than 300 ms");
      engine.start("beats", "b-1", "a");
      assertThat(engine.await("b-1", String.class, SOON)).isEqualTo("a");
    }
  }
}
