package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.durable.ActivityFailedException;
import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.NonDeterminismException;
import io.convoke.engine.durable.NonRetryableException;
import io.convoke.engine.durable.RetryPolicy;
import io.convoke.engine.durable.WorkflowCancelledException;
import io.convoke.engine.durable.WorkflowContext;
import io.convoke.engine.durable.WorkflowFailedException;
import io.convoke.engine.durable.provider.HistoryEvent;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.ProviderFailure;
import io.convoke.engine.durable.runtime.DispatcherPool.DispatcherCounts;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.simulator.stores.EmbeddedPostgres;
import io.convoke.simulator.stores.LocalStores;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Steps run in the thread of their workflow and are kept in its history. */
class StepTest extends NodeTestKit {
  private static final LongPollConfig ON = LongPollConfig.defaults().on();
  private static final RetryPolicy THRICE = RetryPolicy.attempts(3, Duration.ofMillis(10));

  private final AtomicInteger first = new AtomicInteger();
  private final AtomicInteger second = new AtomicInteger();
  private final CountDownLatch release = new CountDownLatch(1);
  private final TestSignal<String> testSignal = new TestSignal<>();

  @AfterEach
  void releaseSteps() {
    release.countDown();
  }

  private Durable.Builder engine() {
    return Durable.over(PostgresProvider.open(url, "durable", ON), ON);
  }

  private Durable.Builder twoSteps(Durable.Builder builder) {
    return builder.workflow(
        "steps",
        String.class,
        (context, name) -> {
          String one = context.step("one", String.class, () -> name + first.incrementAndGet());
          Integer two = context.step("two", Integer.class, second::incrementAndGet);
          return one + two + context.event("go", String.class).get();
        });
  }

  @Test
  void stepsRunOnceAndAReplayHasTheirResults() throws Exception {
    try (Durable before = twoSteps(engine()).start()) {
      before.start("steps", "s", "x");
      await("both steps are committed", () -> stepsOf(before, "s") == 2);
      assertThat(types(before, "s")).containsExactly("Started", "StepEnded", "StepEnded");
    }
    try (Durable after = twoSteps(engine()).start()) {
      after.raise("s", "go", "!");
      assertThat(after.await("s", String.class, LONG)).isEqualTo("x11!");
    }
    assertThat(first).hasValue(1);
    assertThat(second).hasValue(1);
  }

  /** What was committed before the crash is not run again, and the step that it interrupted is. */
  @Test
  @Tag("nightly")
  void aStepThatEndsWithItsNodeRunsAgainOnAnother() throws Exception {
    PostgresProvider doomed = PostgresProvider.open(url, "durable", ON);
    Durable dying = interrupted(Durable.over(doomed, ON)).start();
    dying.start("dies", "d", "");
    await("the second step runs", () -> second.get() == 1);
    // Its dispatchers end too; what it has committed and locked stays as it is.
    Thread closing = Thread.ofPlatform().start(dying::close);
    doomed.vanish();
    try (Durable survivor = interrupted(engine()).start()) {
      await("it runs again", () -> second.get() == 2);
      release.countDown();
      assertThat(survivor.await("d", Integer.class, LONG)).isEqualTo(1);
    }
    assertThat(first).hasValue(1);
    assertThat(second).hasValue(2);
    closing.join();
  }

  /** As for activities: the result is committed when Postgres is back. */
  @Tag("nightly")
  @Test
  void aStepThatEndsWhilePostgresIsAwayIsNotRunAgain() throws Exception {
    try (EmbeddedPostgres embeddedPostgres = LocalStores.forTests().ownPostgres();
        Durable engine =
            Durable.on(embeddedPostgres.url("postgres"))
                .size(new DispatcherCounts(4, 4, 100, Duration.ofMinutes(2), LONG))
                .workflow(
                    "away",
                    String.class,
                    (context, input) ->
                        context.step("one", String.class, () -> blocked("done"))
                            + context.event("go", String.class).get())
                .start()) {
      engine.start("away", "a", "");
      await("the step runs", () -> first.get() == 1);
      PostgresProvider provider = (PostgresProvider) engine.provider();
      embeddedPostgres.stop();
      release.countDown();
      await("it has noticed", () -> !provider.announced());
      // Each waits for a connection as long as the commit of the turn, which began before.
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> provider.read("a")).isInstanceOf(ProviderFailure.class);
      }
      embeddedPostgres.restart();
      engine.raise("a", "go", "!");
      assertThat(engine.await("a", String.class, LONG)).isEqualTo("done!");
    }
    assertThat(first).hasValue(1);
  }

  private Durable.Builder interrupted(Durable.Builder builder) {
    return builder.workflow(
        "dies",
        String.class,
        (context, input) -> {
          Integer one = context.step("one", Integer.class, first::incrementAndGet);
          context.sleep(Duration.ZERO);
          return context.step(
              "two",
              Integer.class,
              () -> {
                int _ = second.incrementAndGet();
                release.await();
                return one;
              });
        });
  }

  /** The lock of the turn is renewed, so no other node takes it over. */
  @Tag("nightly")
  @Test
  void aStepMayTakeLongerThanTheLockOfItsTurn() throws Exception {
    DispatcherCounts briefly =
        new DispatcherCounts(4, 4, 100, Duration.ofMillis(900), Duration.ofSeconds(30));
    try (Durable one = slow(engine()).size(briefly).start();
        Durable two = slow(engine()).size(briefly).start()) {
      one.start("slow", "s", 4_000);
      assertThat(two.await("s", Integer.class, LONG)).isEqualTo(1);
      assertThat(first).hasValue(1);
    }
  }

  /** A crash in a later step does not repeat an earlier one that took long. */
  @Test
  void theResultOfALongStepIsCommittedBeforeTheNextStep() throws Exception {
    try (Durable engine =
        engine()
            .workflow(
                "long",
                String.class,
                (context, input) -> {
                  Integer one = context.step("one", Integer.class, () -> pass(first, 1_100));
                  return context.step(
                      "two",
                      Integer.class,
                      () -> {
                        int _ = second.incrementAndGet();
                        release.await();
                        return one;
                      });
                })
            .start()) {
      engine.start("long", "l", "");
      await("the second step runs", () -> second.get() == 1);
      assertThat(stepsOf(engine, "l")).isEqualTo(1);
      release.countDown();
      assertThat(engine.await("l", Integer.class, LONG)).isEqualTo(1);
      assertThat(first).hasValue(1);
    }
  }

  private Durable.Builder slow(Durable.Builder builder) {
    return builder.workflow(
        "slow",
        Integer.class,
        (context, millis) -> context.step("slow", Integer.class, () -> pass(first, millis)));
  }

  private int pass(AtomicInteger counter, int millis) throws InterruptedException {
    int run = counter.incrementAndGet();
    boolean _ = release.await(millis, TimeUnit.MILLISECONDS);
    return run;
  }

  @Test
  void stepsThatBlockDelayNoOtherInstance() throws Exception {
    DispatcherCounts few =
        new DispatcherCounts(2, 2, 100, Duration.ofSeconds(30), Duration.ofSeconds(30));
    try (Durable engine =
        engine()
            .size(few)
            .activity("plain", Integer.class, (context, n) -> n + 1)
            .workflow(
                "blocks",
                Integer.class,
                (context, n) ->
                    context.step(
                        "block",
                        Integer.class,
                        () -> {
                          int _ = first.incrementAndGet();
                          release.await();
                          return n;
                        }))
            .workflow(
                "quick", Integer.class, (context, n) -> context.activity("plain", n, Integer.class))
            .start()) {
      for (int i = 0; i < 20; i++) {
        engine.start("blocks", "b-" + i, i);
      }
      await("all steps run", () -> first.get() == 20);
      for (int i = 0; i < 20; i++) {
        engine.start("quick", "q-" + i, i);
        assertThat(engine.await("q-" + i, Integer.class, LONG)).isEqualTo(i + 1);
      }
      release.countDown();
      for (int i = 0; i < 20; i++) {
        assertThat(engine.await("b-" + i, Integer.class, LONG)).isEqualTo(i);
      }
      assertThat(first).hasValue(20);
    }
  }

  @Test
  void aFailedStepIsRetriedAsItsPolicySaysAndItsErrorIsReported() throws Exception {
    List<Optional<String>> types = new ArrayList<>();
    try (Durable engine =
        engine()
            .workflow(
                "fails",
                Integer.class,
                (context, good) -> {
                  try {
                    return context.step("flaky", Integer.class, THRICE, () -> failBefore(good));
                  } catch (ActivityFailedException e) {
                    types.add(e.errorType());
                    throw e;
                  }
                })
            .workflow(
                "rejects",
                String.class,
                (context, input) ->
                    context.step(
                        "reject",
                        String.class,
                        THRICE,
                        () -> {
                          int _ = second.incrementAndGet();
                          throw new NonRetryableException("never");
                        }))
            .start()) {
      engine.start("fails", "good", 3);
      assertThat(engine.await("good", Integer.class, LONG)).isEqualTo(3);
      first.set(0);
      engine.start("fails", "bad", 4);
      assertThatThrownBy(() -> engine.await("bad", Integer.class, LONG))
          .isInstanceOf(WorkflowFailedException.class)
          .hasMessage("run 3");
      assertThat(first).hasValue(3);
      assertThat(types).containsExactly(Optional.of(IOException.class.getName()));
      engine.start("rejects", "rejected", "");
      assertThatThrownBy(() -> engine.await("rejected", String.class, LONG)).hasMessage("never");
      assertThat(second).hasValue(1);
    }
  }

  private int failBefore(int good) throws IOException {
    int run = first.incrementAndGet();
    if (run < good) {
      throw new IOException("run " + run);
    }
    return run;
  }

  @Tag("nightly")
  @Test
  void aRenamedStepIsNamedAndHarmsNothing() throws Exception {
    try (Durable before = twoSteps(engine()).start()) {
      before.start("steps", "s", "x");
      await("both steps are committed", () -> stepsOf(before, "s") == 2);
    }
    try (Durable _ =
            engine().workflow("steps", String.class, (context, name) -> renamed(context)).start();
        Durable client = Durable.over(PostgresProvider.open(url, "durable", ON), ON).connect();
        var named = testSignal.observe()) {
      client.raise("s", "go", "!");
      assertThat(named.await(LONG)).contains("s, event 2", "name=one", "name=uno");
    }
    try (Durable after = twoSteps(engine()).start()) {
      assertThat(after.await("s", String.class, LONG)).isEqualTo("x11!");
    }
  }

  private String renamed(WorkflowContext context) {
    try {
      return context.step("uno", String.class, () -> "");
    } catch (NonDeterminismException e) {
      testSignal.emit(String.valueOf(e.getMessage()));
      throw e;
    }
  }

  @Test
  void aStepCannotUseTheContext() throws Exception {
    try (Durable engine =
        engine()
            .workflow(
                "nested",
                String.class,
                (context, input) ->
                    context.step(
                        "outer",
                        String.class,
                        () -> context.step("inner", String.class, () -> "inner")))
            .start()) {
      engine.start("nested", "n", "");
      assertThatThrownBy(() -> engine.await("n", String.class, LONG))
          .hasMessageContaining("a step cannot use the context");
    }
  }

  /** Its result is kept, and the workflow cleans up where it waits next. */
  @Test
  void aCancellationDoesNotInterruptAStep() throws Exception {
    try (Durable engine =
        engine()
            .workflow(
                "cleans",
                String.class,
                (context, input) -> {
                  String one = context.step("one", String.class, () -> blocked("done"));
                  try {
                    return context.event("never", String.class).get();
                  } catch (WorkflowCancelledException e) {
                    return one + context.step("clean", String.class, () -> " and cleaned");
                  }
                })
            .start()) {
      engine.start("cleans", "c", "");
      await("the step runs", () -> first.get() == 1);
      engine.cancel("c", "enough");
      release.countDown();
      assertThat(engine.await("c", String.class, LONG)).isEqualTo("done and cleaned");
    }
  }

  private String blocked(String result) throws InterruptedException {
    int _ = first.incrementAndGet();
    release.await();
    return result;
  }

  private static long stepsOf(Durable engine, String instance) {
    return types(engine, instance).stream().filter("StepEnded"::equals).count();
  }

  private static List<String> types(Durable engine, String instance) {
    return engine.provider().read(instance).stream().map(HistoryEvent::type).toList();
  }
}
