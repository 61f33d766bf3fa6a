package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.durable.runtime.DispatcherPool;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What a workflow can do, each in one short example on a real Postgres. */
class DurableTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  private final String url = LocalStores.forTests().freshDatabase();
  private final TestSignal<String> testSignal = new TestSignal<>();

  @Test
  void activitiesInSequence() throws Exception {
    try (Durable engine =
        Durable.on(url)
            .activity("greet", String.class, (context, name) -> "Hello " + name)
            .workflow(
                "hello",
                String.class,
                (context, name) -> {
                  String first = context.activity("greet", name, String.class);
                  return first + ", " + context.activity("greet", "again", String.class);
                })
            .start()) {
      engine.start("hello", "h", "World");
      assertThat(engine.await("h", String.class, LONG)).isEqualTo("Hello World, Hello again");
    }
  }

  @Test
  void fanOutAndIn() throws Exception {
    try (Durable engine =
        Durable.on(url)
            .activity("square", Integer.class, (context, n) -> n * n)
            .workflow(
                "squares",
                Integer.class,
                (context, count) -> {
                  List<Promise<Integer>> squares = new ArrayList<>();
                  for (int i = 1; i <= count; i++) {
                    squares.add(context.order("square", i, Integer.class, ActivityOptions.ONCE));
                  }
                  return context.all(squares).stream().mapToInt(n -> n).sum();
                })
            .start()) {
      engine.start("squares", "s", 20);
      assertThat(engine.await("s", Integer.class, LONG)).isEqualTo(2870);
    }
  }

  @Test
  void aFailedActivityIsTriedAgainAndInTheEndItsErrorIsTold() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    ActivityOptions thrice =
        ActivityOptions.retried(RetryPolicy.attempts(3, Duration.ofMillis(10)));
    try (Durable engine =
        Durable.on(url)
            .activity(
                "flaky",
                Integer.class,
                (context, good) -> {
                  int _ = calls.incrementAndGet();
                  if (context.attempt() < good) {
                    throw new IllegalStateException("attempt " + context.attempt());
                  }
                  return context.attempt();
                })
            .workflow(
                "try",
                Integer.class,
                (context, good) -> context.activity("flaky", good, Integer.class, thrice))
            .start()) {
      engine.start("try", "good", 3);
      assertThat(engine.await("good", Integer.class, LONG)).isEqualTo(3);
      engine.start("try", "bad", 4);
      assertThatThrownBy(() -> engine.await("bad", Integer.class, LONG))
          .isInstanceOf(WorkflowFailedException.class)
          .hasMessage("attempt 3");
      assertThat(calls).hasValue(6);
    }
  }

  @Test
  void anActivityThatTakesTooLongOrIsSilentIsInterrupted() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    try (Durable engine =
        Durable.on(url)
            .activity(
                "hang",
                String.class,
                (context, input) -> {
                  never.await();
                  return "";
                })
            .workflow(
                "wait",
                Boolean.class,
                (context, silent) ->
                    context.activity(
                        "hang",
                        "",
                        String.class,
                        silent
                            ? ActivityOptions.ONCE.beating(Duration.ofMillis(50))
                            : ActivityOptions.ONCE.within(Duration.ofMillis(50))))
            .start()) {
      engine.start("wait", "late", false);
      engine.start("wait", "silent", true);
      assertThatThrownBy(() -> engine.await("late", String.class, LONG))
          .hasMessageContaining("took longer");
      assertThatThrownBy(() -> engine.await("silent", String.class, LONG))
          .hasMessageContaining("no heartbeat");
    }
  }

  @Test
  void anEventOrATimerWhicheverComesFirst() throws Exception {
    try (Durable engine =
        Durable.on(url)
            .workflow(
                "approval",
                Integer.class,
                (context, patienceMs) -> {
                  Promise<String> answer = context.event("answer", String.class);
                  Promise<Instant> timeout = context.timer(Duration.ofMillis(patienceMs));
                  context.status("waiting");
                  return context.select(List.of(answer, timeout)) == 0 ? answer.get() : "nobody";
                })
            .start()) {
      engine.start("approval", "answered", 600_000);
      engine.start("approval", "alone", 50);
      assertThat(engine.await("alone", String.class, LONG)).isEqualTo("nobody");
      while (engine.instance("answered").flatMap(i -> i.customStatus()).isEmpty()) {
        LockSupport.parkNanos(10_000_000);
      }
      engine.raise("answered", "answer", "yes");
      assertThat(engine.await("answered", String.class, LONG)).isEqualTo("yes");
    }
  }

  @Test
  void subWorkflowsAndContinueAsNew() throws Exception {
    try (Durable engine =
        Durable.on(url)
            .workflow(
                "count",
                Integer.class,
                (context, left) -> {
                  if (left > 0) {
                    throw context.continueAsNew(left - 1);
                  }
                  return context.executionId();
                })
            .workflow(
                "parent",
                String.class,
                (context, id) -> context.child("count", id, 3, Long.class).get())
            .start()) {
      engine.start("parent", "p", "child");
      assertThat(engine.await("p", Long.class, LONG)).isEqualTo(4);
      assertThat(engine.provider().admin().children("p")).containsExactly("child");
      assertThat(engine.provider().admin().executions("child")).hasSize(4);
    }
  }

  @Test
  void aStartThatIsToldAgainWhileItContinuesAsNewBeginsNothing() throws Exception {
    AtomicInteger rounds = new AtomicInteger();
    List<Durable> client = new ArrayList<>();
    try (Durable engine =
        Durable.on(url)
            .workflow(
                "count",
                Integer.class,
                (context, left) -> {
                  int _ = rounds.incrementAndGet();
                  if (left == 2) {
                    // As a client does that was not acknowledged; it waits behind this turn.
                    client.getFirst().start("count", "c", 2);
                  }
                  if (left > 0) {
                    throw context.continueAsNew(left - 1);
                  }
                  return context.executionId();
                })
            .start()) {
      client.add(engine);
      engine.start("count", "c", 2);
      assertThat(engine.await("c", Long.class, LONG)).isEqualTo(3);
      assertThat(rounds).hasValue(3);
    }
  }

  @Test
  void aCancelledWorkflowCleansUp() throws Exception {
    try (Durable engine =
            Durable.on(url)
                .activity(
                    "undo",
                    String.class,
                    (context, what) -> {
                      testSignal.emit(what);
                      return what;
                    })
                .workflow(
                    "long",
                    String.class,
                    (context, what) -> {
                      try {
                        context.sleep(Duration.ofDays(1));
                        return "slept";
                      } catch (WorkflowCancelledException e) {
                        return context.activity("undo", what, String.class) + ": " + e.getMessage();
                      }
                    })
                .start();
        var undone = testSignal.observe()) {
      engine.start("long", "l", "booking");
      engine.cancel("l", "not wanted");
      engine.cancel("l", "not wanted, without an answer to the first request");
      assertThat(undone.await(LONG)).isEqualTo("booking");
      assertThat(engine.await("l", String.class, LONG)).isEqualTo("booking: not wanted");
    }
  }

  /** The second engine knows the instance from its history alone, and answers are the same. */
  @Test
  void aWorkflowGoesOnInAnotherProcess() throws Exception {
    AtomicInteger rolls = new AtomicInteger();
    Durable first = dice(rolls);
    first.start("dice", "d", 6);
    while (first.instance("d").flatMap(i -> i.customStatus()).isEmpty()) {
      LockSupport.parkNanos(10_000_000);
    }
    String before = first.instance("d").flatMap(i -> i.customStatus()).orElseThrow();
    first.close();
    try (Durable second = dice(rolls)) {
      second.raise("d", "go", "on");
      assertThat(second.await("d", String.class, LONG)).isEqualTo(before);
      assertThat(rolls).hasValue(1);
    }
  }

  private Durable dice(AtomicInteger rolls) {
    return Durable.on(url)
        .activity("roll", Integer.class, (context, sides) -> rolls.incrementAndGet())
        .workflow(
            "dice",
            Integer.class,
            (context, sides) -> {
              String seen =
                  context.activity("roll", sides, Integer.class)
                      + " "
                      + context.newId()
                      + " "
                      + context.random().nextInt(sides)
                      + " "
                      + context.now();
              context.status(seen);
              String _ = context.event("go", String.class).get();
              return seen;
            })
        .start();
  }

  @Tag("nightly")
  @Test
  void codeThatDiffersFromItsHistoryIsNamedAndHarmsNothing() throws Exception {
    Durable first =
        Durable.on(url)
            .activity("a", String.class, (context, input) -> input)
            .workflow(
                "w",
                String.class,
                (context, input) -> {
                  String result = context.activity("a", input, String.class);
                  context.status("half");
                  return result + context.event("go", String.class).get();
                })
            .start();
    first.start("w", "i", "x");
    while (first.instance("i").flatMap(i -> i.customStatus()).isEmpty()) {
      LockSupport.parkNanos(10_000_000);
    }
    first.close();
    try (Durable second =
            Durable.on(url)
                .workflow(
                    "w",
                    String.class,
                    (context, input) -> {
                      try {
                        context.sleep(Duration.ofSeconds(1));
                      } catch (NonDeterminismException e) {
                        testSignal.emit(String.valueOf(e.getMessage()));
                        throw e;
                      }
                      return "";
                    })
                .size(new DispatcherPool.DispatcherCounts(2, 2, 10, LONG, LONG))
                .start();
        var named = testSignal.observe()) {
      second.raise("i", "go", "!");
      assertThat(named.await(LONG)).contains("i, event 2", "ActivityScheduled", "TimerCreated");
    }
    try (Durable third =
        Durable.on(url)
            .workflow(
                "w",
                String.class,
                (context, input) ->
                    context.activity("a", input, String.class)
                        + context.event("go", String.class).get())
            .start()) {
      assertThat(third.await("i", String.class, LONG)).isEqualTo("x!");
    }
  }

  record Parcel(String to, Set<String> labels) {}

  record ParcelWithWeight(String to, Set<String> labels, @Nullable Integer grams) {}

  @Tag("nightly")
  @Test
  void aChangedInputOfAnActivityIsNamedAndAnotherOrderOfASetIsNone() throws Exception {
    Durable first = sender(new Parcel("Rome", labels("a", "b")));
    first.start("w", "i", "x");
    while (first.instance("i").flatMap(i -> i.customStatus()).isEmpty()) {
      LockSupport.parkNanos(10_000_000);
    }
    first.close();
    try (Durable second = sender(new Parcel("Oslo", labels("a", "b")));
        var named = testSignal.observe()) {
      second.raise("i", "go", "!");
      assertThat(named.await(LONG)).contains("i, event 2", "Rome", "Oslo");
    }
    try (Durable third = sender(new ParcelWithWeight("Rome", labels("b", "a"), null))) {
      assertThat(third.await("i", String.class, LONG)).isEqualTo("sent!");
    }
  }

  private static Set<String> labels(String... inOrder) {
    return new LinkedHashSet<>(List.of(inOrder));
  }

  @Test
  void aSelectOfNothingFailsInsteadOfWaitingForEver() {
    failsWith((context, input) -> context.select(List.of()), "select needs at least one promise");
  }

  /** Otherwise each turn would fail at its commit, and the instance after ten of them. */
  @Test
  void aCharacterThatPostgresCannotStoreStopsNoWorkflow() throws Exception {
    failsWith(
        (context, input) -> context.child("w", "a\0b", "", String.class).get(),
        "an instance id cannot contain U+0000");
    try (Durable engine =
        Durable.on(url)
            .workflow(
                "shows",
                String.class,
                (context, text) -> {
                  context.status(text);
                  return text;
                })
            .start()) {
      engine.start("shows", "s", "a\0b");
      assertThat(engine.await("s", String.class, LONG)).isEqualTo("a\0b");
      assertThat(engine.instance("s").flatMap(it -> it.customStatus())).contains("a\uFFFDb");
    }
  }

  private void failsWith(Workflow<String, Object> workflow, String error) {
    try (Durable engine = Durable.on(url).workflow("w", String.class, workflow).start()) {
      engine.start("w", "i", "");
      assertThatThrownBy(() -> engine.await("i", Object.class, LONG))
          .isInstanceOf(WorkflowFailedException.class)
          .hasMessage(error);
    }
  }

  private Durable sender(Object parcel) {
    return Durable.on(url)
        .activity("send", JsonNode.class, (context, input) -> "sent")
        .workflow(
            "w",
            String.class,
            (context, input) -> {
              try {
                String result = context.activity("send", parcel, String.class);
                context.status("half");
                return result + context.event("go", String.class).get();
              } catch (NonDeterminismException e) {
                testSignal.emit(String.valueOf(e.getMessage()));
                throw e;
              }
            })
        .start();
  }

  @Test
  void aChangeOfCodeIsFollowedByNewInstancesAlone() throws Exception {
    Durable first =
        Durable.on(url)
            .activity("a", String.class, (context, input) -> input)
            .workflow(
                "w",
                String.class,
                (context, input) -> {
                  String result = context.activity("a", input, String.class);
                  context.status("half");
                  return result + context.event("go", String.class).get();
                })
            .start();
    first.start("w", "old", "x");
    while (first.instance("old").flatMap(i -> i.customStatus()).isEmpty()) {
      LockSupport.parkNanos(10_000_000);
    }
    first.close();
    try (Durable second =
        Durable.on(url)
            .activity("a", String.class, (context, input) -> input)
            .activity("b", String.class, (context, input) -> input + "b")
            .workflow(
                "w",
                String.class,
                (context, input) -> {
                  String step = context.version("use b", 1) == 0 ? "a" : "b";
                  String result = context.activity(step, input, String.class);
                  return result + context.event("go", String.class).get();
                })
            .start()) {
      second.start("w", "new", "x");
      second.raise("old", "go", "!");
      assertThat(second.await("old", String.class, LONG)).isEqualTo("x!");
      second.raise("new", "go", "!");
      assertThat(second.await("new", String.class, LONG)).isEqualTo("xb!");
    }
  }
}
