package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.durable.provider.ExecutionStatus;
import io.convoke.engine.durable.runtime.DispatcherPool;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Code that throws an {@link Error} fails as any other does, and ends no dispatcher. */
class ErrorsTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final ActivityOptions TWICE =
      ActivityOptions.retried(RetryPolicy.attempts(2, Duration.ofMillis(10)));

  private final String url = LocalStores.forTests().freshDatabase();

  @Test
  void aHundredStackOverflowsFailAndLeaveTheNodeAtWork() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    try (Durable engine =
        Durable.on(url)
            .activity(
                "deep",
                Integer.class,
                (context, n) -> {
                  int _ = calls.incrementAndGet();
                  return recurse(n);
                })
            .activity("greet", String.class, (context, name) -> "Hello " + name)
            .workflow(
                "poison",
                Integer.class,
                (context, n) -> context.activity("deep", n, Integer.class, TWICE))
            .workflow(
                "hello",
                String.class,
                (context, name) -> context.activity("greet", name, String.class))
            .start()) {
      for (int i = 0; i < 100; i++) {
        engine.start("poison", "poison-" + i, i);
      }
      engine.start("hello", "healthy", "World");
      assertThat(engine.await("healthy", String.class, Duration.ofSeconds(10)))
          .isEqualTo("Hello World");
      for (int i = 0; i < 100; i++) {
        failsWith(engine, "poison-" + i, "StackOverflowError");
      }
      assertThat(calls).hasValue(200);
    }
  }

  /** Whatever class it is of, and wherever it is thrown: in the input, the code or the result. */
  @Test
  void anActivityFailsWithAnyThrowable() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    try (Durable engine =
        Durable.on(url)
            .size(few())
            .activity(
                "throws",
                Integer.class,
                (context, kind) -> {
                  int _ = calls.incrementAndGet();
                  return hurl(kind);
                })
            .activity("reads", HostileInput.class, (context, input) -> 1)
            .activity("writes", Integer.class, (context, input) -> new HostileResult())
            .activity("nests", Integer.class, (context, input) -> nested(100_000))
            .activity("mute", Integer.class, (context, input) -> hurl(MUTE))
            .activity("plain", Integer.class, (context, n) -> n)
            .workflow(
                "run",
                String.class,
                (context, name) ->
                    name.startsWith("throws")
                        ? context.activity(
                            "throws", Integer.valueOf(name.substring(6)), Integer.class, TWICE)
                        : context.activity(name, new HostileInputText("1"), Integer.class, TWICE))
            .workflow(
                "number",
                String.class,
                (context, name) -> context.activity(name, 1, Integer.class, TWICE))
            .start()) {
      for (int kind = 0; kind < KINDS.size(); kind++) {
        engine.start("run", "kind-" + kind, "throws" + kind);
      }
      engine.start("run", "reads", "reads");
      for (String name : List.of("writes", "nests", "mute", "plain")) {
        engine.start("number", name, name);
      }
      for (int kind = 0; kind < KINDS.size(); kind++) {
        failsWith(engine, "kind-" + kind, String.valueOf(KINDS.get(kind).getMessage()));
        failsWith(engine, "kind-" + kind, KINDS.get(kind).getClass().getSimpleName());
      }
      assertThat(calls).hasValue(2 * KINDS.size());
      failsWith(engine, "reads", "hostile input");
      failsWith(engine, "writes", "hostile result");
      failsWith(engine, "nests", "");
      failsWith(engine, "mute", "Mute");
      assertThat(engine.await("plain", Integer.class, LONG)).isEqualTo(1);
    }
  }

  @Test
  void aWorkflowThatThrowsAnErrorHasFailed() throws Exception {
    try (Durable engine =
        Durable.on(url)
            .size(few())
            .activity("plain", Integer.class, (context, n) -> n)
            .workflow("throws", Integer.class, (context, kind) -> hurl(kind))
            .workflow("deep", Integer.class, (context, n) -> recurse(n))
            .workflow(
                "late",
                Integer.class,
                (context, kind) -> hurl(context.activity("plain", kind, Integer.class)))
            .workflow("reads", HostileInput.class, (context, input) -> 1)
            .workflow("writes", Integer.class, (context, input) -> new HostileResult())
            .workflow(
                "parent",
                Integer.class,
                (context, kind) ->
                    context
                        .child("throws", context.instanceId() + "-child", kind, Integer.class)
                        .get())
            .start()) {
      for (int kind = 0; kind < KINDS.size(); kind++) {
        engine.start("throws", "kind-" + kind, kind);
      }
      engine.start("deep", "deep", 1);
      engine.start("late", "late", 0);
      engine.start("reads", "reads", new HostileInputText("1"));
      engine.start("writes", "writes", 1);
      engine.start("parent", "parent", 0);
      for (int kind = 0; kind < KINDS.size(); kind++) {
        failsWith(engine, "kind-" + kind, String.valueOf(KINDS.get(kind).getMessage()));
      }
      failsWith(engine, "deep", "StackOverflowError");
      failsWith(engine, "late", "AssertionError: boom");
      failsWith(engine, "reads", "hostile input");
      failsWith(engine, "writes", "hostile result");
      failsWith(engine, "parent", "AssertionError: boom");
    }
  }

  /** The code that waited for an event is replaced by one that throws as soon as it is replayed. */
  @Test
  void aWorkflowThatThrowsAnErrorWhenItIsReplayedHasFailed() throws Exception {
    try (Durable before =
        Durable.on(url)
            .size(few())
            .workflow(
                "waits", String.class, (context, input) -> context.event("go", String.class).get())
            .start()) {
      before.start("waits", "w", "");
      awaitBegun(before, "w");
    }
    try (Durable after =
        Durable.on(url)
            .size(few())
            .workflow("waits", String.class, (context, input) -> String.valueOf(hurl(0)))
            .start()) {
      after.raise("w", "go", "now");
      failsWith(after, "w", "AssertionError: boom");
    }
  }

  /** A dispatcher continues after an interrupt by a thread that an activity has left behind. */
  @Test
  void anInterruptThatComesTooLateEndsNoDispatcher() throws Exception {
    CompletableFuture<Thread> runner = new CompletableFuture<>();
    try (ExecutorService helpers = Executors.newVirtualThreadPerTaskExecutor();
        Durable engine =
            Durable.on(url)
                .size(new DispatcherPool.DispatcherCounts(4, 1, 10, LONG, LONG))
                .activity(
                    "leaves",
                    Integer.class,
                    (context, n) -> {
                      boolean _ = runner.complete(Thread.currentThread());
                      return n;
                    })
                .workflow(
                    "run",
                    Integer.class,
                    (context, n) -> context.activity("leaves", n, Integer.class))
                .start()) {
      engine.start("run", "first", 1);
      assertThat(engine.await("first", Integer.class, LONG)).isEqualTo(1);
      Future<?> late = helpers.submit(() -> runner.join().interrupt());
      Object _ = late.get();
      engine.start("run", "second", 2);
      assertThat(engine.await("second", Integer.class, Duration.ofSeconds(10))).isEqualTo(2);
    }
  }

  private static void failsWith(Durable engine, String instance, String error) {
    assertThatThrownBy(() -> engine.await(instance, Object.class, LONG))
        .as(instance)
        .isInstanceOf(WorkflowFailedException.class)
        .hasMessageContaining(error);
  }

  private static void awaitBegun(Durable engine, String instance) throws InterruptedException {
    long end = System.nanoTime() + LONG.toNanos();
    while (engine.instance(instance).filter(it -> it.status() == ExecutionStatus.RUNNING).isEmpty()
        || engine.provider().read(instance).isEmpty()) {
      assertThat(System.nanoTime()).isLessThan(end);
      LockSupport.parkNanos(10_000_000);
    }
  }

  /** Fewer dispatchers than failures. */
  private static DispatcherPool.DispatcherCounts few() {
    return new DispatcherPool.DispatcherCounts(
        2, 2, 10, Duration.ofSeconds(30), Duration.ofSeconds(30));
  }

  private static int recurse(int n) {
    return n == Integer.MIN_VALUE ? n : 1 + recurse(n + 1);
  }

  private static final List<Throwable> KINDS =
      List.of(
          new AssertionError("boom"),
          new OutOfMemoryError("no heap left"),
          new NoClassDefFoundError("io/example/Absent"),
          new ExceptionInInitializerError("a static block failed"),
          new Neither("neither an exception nor an error"));

  private static final int MUTE = -1;

  private static int hurl(int kind) {
    throw ErrorsTest.<RuntimeException>unchecked(kind == MUTE ? new Mute() : KINDS.get(kind));
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> RuntimeException unchecked(Throwable thrown) throws T {
    throw (T) thrown;
  }

  private static List<Object> nested(int depth) {
    List<Object> inner = new ArrayList<>();
    for (int i = 0; i < depth; i++) {
      inner = new ArrayList<>(List.of(inner));
    }
    return inner;
  }

  /** As a {@link ThreadDeath} of old: no exception, and not to be caught as an error either. */
  private static final class Neither extends Throwable {
    private static final long serialVersionUID = 1;

    private Neither(String message) {
      super(message);
    }
  }

  /** Fails again when it is asked what it is. */
  private static final class Mute extends Error {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new AssertionError("no message either");
    }
  }

  private record HostileInputText(String text) {}

  @SuppressWarnings("UnusedMethod")
  private record HostileInput(String text) {
    private HostileInput {
      if (!text.isEmpty()) {
        throw new AssertionError("hostile input");
      }
    }
  }

  @SuppressWarnings("UnusedMethod")
  private record HostileResult(String text) {
    HostileResult() {
      this("");
    }

    @Override
    public String text() {
      if (text.isEmpty()) {
        throw new AssertionError("hostile result");
      }
      return text;
    }
  }
}
