package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.ExecutionStatus;
import io.convoke.engine.durable.provider.LockStatus;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.provider.ProviderAdmin;
import io.convoke.engine.durable.provider.ProviderFailure;
import io.convoke.engine.durable.provider.TurnCommit;
import io.convoke.engine.durable.provider.TurnCommit.ExecutionOutcome;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.simulator.stores.LocalStores;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What waiting for the end of instances costs, and that every caller is woken. */
class AwaitTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final LongPollConfig ON = LongPollConfig.defaults().on();

  private final String url = LocalStores.forTests().freshDatabase();
  private final AtomicInteger queries = new AtomicInteger();
  private volatile boolean blind;

  /** Whether queries for ends fail, as in an outage of the store. */
  private volatile boolean away;

  /** Runs after a turn is committed, before its executor knows. */
  private volatile Consumer<TurnCommit> committed = _ -> {};

  /** Runs after a query that found an end, before its caller knows. */
  private volatile Runnable found = () -> {};

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
  void theFailureOfAnExecutionIsNotTheEndOfTheOneThatRetriesIt() throws Exception {
    CountDownLatch told = new CountDownLatch(1);
    committed =
        commit -> {
          if (commit.outcome().filter(end -> end.status() == ExecutionStatus.FAILED).isPresent()) {
            awaitOpen(told);
          }
        };
    try (Durable engine = engine();
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      fail(engine, "i");
      assertThat(engine.retry("i")).isTrue();
      queries.set(0);
      Future<String> second = callers.submit(() -> engine.await("i", String.class, LONG));
      awaitQueries(1);
      told.countDown();
      engine.raise("i", "go", "now");
      assertThat(second.get()).isEqualTo("now");
    } finally {
      told.countDown();
    }
  }

  @Test
  void aCallerIsNotToldWhatAQueryFoundThatWasUnderWay() throws Exception {
    CountDownLatch underWay = new CountDownLatch(1);
    CountDownLatch told = new CountDownLatch(1);
    try (Durable engine = engine();
        Durable client = Durable.over(counting(provider()), ON).connect();
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      fail(engine, "i");
      found =
          () -> {
            underWay.countDown();
            awaitOpen(told);
          };
      Future<String> first = callers.submit(() -> client.await("i", String.class, LONG));
      awaitOpen(underWay);
      assertThat(engine.retry("i")).isTrue();
      FutureTask<String> second = new FutureTask<>(() -> client.await("i", String.class, LONG));
      Thread waiting = Thread.ofVirtual().start(second);
      awaitTrue(() -> waiting.getState() == Thread.State.TIMED_WAITING);
      told.countDown();
      assertThatThrownBy(first::get).hasCauseInstanceOf(WorkflowFailedException.class);
      engine.raise("i", "go", "now");
      assertThat(second.get()).isEqualTo("now");
    } finally {
      told.countDown();
    }
  }

  @Test
  void noCallerOutwaitsTheEngine() throws Exception {
    Durable engine = engine();
    FutureTask<String> before =
        new FutureTask<>(() -> engine.await("i", String.class, Duration.ofHours(1)));
    try (engine) {
      engine.start("waits", "i", "");
      Thread _ = Thread.ofVirtual().start(before);
      awaitQueries(1);
    }
    assertThatThrownBy(() -> before.get(LONG.toSeconds(), TimeUnit.SECONDS))
        .hasCauseInstanceOf(IllegalStateException.class)
        .hasMessageContaining("the engine is closed");
    assertThatThrownBy(() -> engine.await("i", String.class, LONG))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the engine is closed");
  }

  @Test
  void callersOutwaitAnOutageOfTheStore() throws Exception {
    try (Durable engine = engine();
        Durable client = Durable.over(counting(provider()), ON).connect();
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      engine.start("waits", "i", "");
      away = true;
      Future<String> awaited = callers.submit(() -> client.await("i", String.class, LONG));
      awaitQueries(3);
      engine.raise("i", "go", "now");
      away = false;
      assertThat(awaited.get()).isEqualTo("now");
    }
  }

  @Tag("nightly")
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
  @Tag("nightly")
  @Test
  void anEndOnAnotherNodeIsAnnouncedToCallersThatHaveWaitedForLong() throws Exception {
    try (Durable engine = Durable.on(url).workflow("waits", String.class, AwaitTest::go).start();
        Durable client = Durable.over(counting(provider()), ON).connect();
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

  /** Starts an instance whose first execution fails, and waits for that. */
  private static void fail(Durable engine, String instance) {
    engine.start("mends", instance, "");
    assertThatThrownBy(() -> engine.await(instance, String.class, LONG))
        .isInstanceOf(WorkflowFailedException.class);
  }

  private static String go(WorkflowContext context, String input) {
    return context.event("go", String.class).get();
  }

  private void awaitQueries(int atLeast) {
    awaitTrue(() -> queries.get() >= atLeast);
  }

  private static void awaitTrue(BooleanSupplier condition) {
    long end = System.nanoTime() + LONG.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(end);
      LockSupport.parkNanos(10_000_000);
    }
  }

  private static void awaitOpen(CountDownLatch latch) {
    try {
      assertThat(latch.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Provider provider() {
    return PostgresProvider.open(DatabaseUrl.parse(url), "durable", ON);
  }

  private Durable engine() {
    AtomicBoolean broken = new AtomicBoolean(true);
    return Durable.over(counting(provider()), ON)
        .workflow("waits", String.class, AwaitTest::go)
        .workflow(
            "mends",
            String.class,
            (context, input) -> {
              if (broken.getAndSet(false)) {
                throw new IllegalStateException("broken");
              }
              return go(context, input);
            })
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
        InterceptedCalls.of(
            ProviderAdmin.class,
            (method, arguments) -> {
              boolean query = method.equals("instance") || method.equals("ended");
              if (query) {
                int _ = queries.incrementAndGet();
              }
              if (method.equals("ended") && away) {
                throw new ProviderFailure(method, true, new IOException("out of reach"));
              }
              if (query && blind) {
                return Optional.of(
                    method.equals("instance") ? Optional.empty() : Map.<String, Object>of());
              }
              if (method.equals("ended") && arguments[0] instanceof Set<?> instances) {
                Map<String, ExecutionOutcome> ends = admin.ended(strings(instances));
                if (!ends.isEmpty()) {
                  found.run();
                }
                return Optional.of(ends);
              }
              return Optional.empty();
            },
            admin);
    return InterceptedCalls.of(
        Provider.class,
        (method, arguments) -> {
          if (method.equals("ackOrchestrationItem")
              && arguments[0] instanceof String lock
              && arguments[1] instanceof TurnCommit commit) {
            LockStatus status = provider.ackOrchestrationItem(lock, commit);
            committed.accept(commit);
            return Optional.of(status);
          }
          return method.equals("admin") ? Optional.of(counting) : Optional.empty();
        },
        provider);
  }

  private static Set<String> strings(Set<?> of) {
    return of.stream().map(String.class::cast).collect(Collectors.toSet());
  }
}
