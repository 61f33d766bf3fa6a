package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.provider.ProviderAdmin;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.simulator.stores.LocalStores;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What waiting for the end of instances costs, and that every caller is woken. */
class AwaitTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final LongPollConfig ON = LongPollConfig.defaults().on();

  private final String url = LocalStores.forTests().freshDatabase();
  private final AtomicInteger queries = new AtomicInteger();
  private volatile boolean blind;

  @Test
  void allCallersOfAnInstanceThatEndsHereAreWokenWithoutAQuery() throws Exception {
    try (Durable engine = engine();
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      blind = true;
      engine.start("waits", "i", "");
      List<Future<String>> all = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        all.add(callers.submit(() -> engine.await("i", String.class, LONG)));
      }
      awaitQueries(1);
      engine.raise("i", "go", "now");
      for (Future<String> one : all) {
        assertThat(one.get()).isEqualTo("now");
      }
    }
  }

  @Test
  void anInstanceThatContinuesAsNewHasNotEnded() throws Exception {
    try (Durable engine = engine()) {
      blind = true;
      engine.start("again", "i", 0);
      assertThat(engine.await("i", Integer.class, LONG)).isEqualTo(5);
    }
  }

  @Test
  void manyCallersShareTheirQueries() throws Exception {
    int callers = 100;
    try (Durable engine = engine();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < callers; i++) {
        engine.start("waits", "i-" + i, "");
      }
      queries.set(0);
      List<Future<String>> all = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        String id = "i-" + i;
        all.add(threads.submit(() -> engine.await(id, String.class, Duration.ofSeconds(3))));
      }
      for (Future<String> one : all) {
        assertThatThrownBy(one::get).hasCauseInstanceOf(TimeoutException.class);
      }
      assertThat(queries.get()).isLessThan(2 * callers);
    }
  }

  @Test
  void endsOnOtherNodesAndEarlierOnesAreFound() throws Exception {
    try (Durable engine = engine();
        Durable client = Durable.on(url).connect();
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      engine.start("waits", "i", "");
      Future<String> first = callers.submit(() -> client.await("i", String.class, LONG));
      Future<String> second = callers.submit(() -> client.await("i", String.class, LONG));
      engine.raise("i", "go", "now");
      assertThat(first.get()).isEqualTo("now");
      assertThat(second.get()).isEqualTo("now");
      assertThat(engine.await("i", String.class, LONG)).isEqualTo("now");
    }
  }

  /** The eighth query follows after 2.5 s, and a ninth 2.5 s later. */
  @Test
  void anEndOnAnotherNodeIsAnnouncedToCallersThatHaveWaitedForLong() throws Exception {
    Provider provider = PostgresProvider.open(DatabaseUrl.parse(url), "durable", ON);
    try (Durable engine = Durable.on(url).workflow("waits", String.class, AwaitTest::go).start();
        Durable client = Durable.over(counting(provider), ON).connect();
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      engine.start("waits", "i", "");
      queries.set(0);
      Future<String> awaited = callers.submit(() -> client.await("i", String.class, LONG));
      awaitQueries(8);
      long raised = System.nanoTime();
      engine.raise("i", "go", "now");
      assertThat(awaited.get()).isEqualTo("now");
      assertThat(Duration.ofNanos(System.nanoTime() - raised)).isLessThan(Duration.ofMillis(1500));
      assertThat(queries.get()).isEqualTo(9);
    }
  }

  private static String go(WorkflowContext context, String input) {
    return context.event("go", String.class).get();
  }

  private void awaitQueries(int atLeast) {
    long end = System.nanoTime() + LONG.toNanos();
    while (queries.get() < atLeast) {
      assertThat(System.nanoTime()).isLessThan(end);
      Thread.onSpinWait();
    }
  }

  private Durable engine() {
    Provider provider = PostgresProvider.open(DatabaseUrl.parse(url), "durable", ON);
    return Durable.over(counting(provider), ON)
        .workflow("waits", String.class, AwaitTest::go)
        .workflow(
            "again",
            Integer.class,
            (context, n) -> {
              if (n < 5) {
                throw context.continueAsNew(n + 1);
              }
              return n;
            })
        .start();
  }

  /** The provider, with its queries for instances counted, and without result while blind. */
  private Provider counting(Provider provider) {
    ProviderAdmin admin = provider.admin();
    ProviderAdmin counting =
        proxy(
            ProviderAdmin.class,
            (method, arguments) -> {
              boolean query = method.equals("instance") || method.equals("ended");
              if (query) {
                int _ = queries.incrementAndGet();
              }
              if (query && blind) {
                return Optional.of(
                    method.equals("instance") ? Optional.empty() : Map.<String, Object>of());
              }
              return Optional.empty();
            },
            admin);
    return proxy(
        Provider.class,
        (method, arguments) -> method.equals("admin") ? Optional.of(counting) : Optional.empty(),
        provider);
  }

  /** Answers a call, or leaves it to the object behind the proxy. */
  private interface Interception {
    Optional<Object> answer(String method, Object[] arguments);
  }

  private static <T> T proxy(Class<T> type, Interception interception, T behind) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) -> {
              Optional<Object> answer =
                  interception.answer(
                      method.getName(), arguments == null ? new Object[0] : arguments);
              if (answer.isPresent()) {
                return answer.get();
              }
              try {
                return method.invoke(behind, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
