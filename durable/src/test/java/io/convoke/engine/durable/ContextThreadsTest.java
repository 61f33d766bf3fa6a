package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * A workflow's context is for the thread of its code. Elsewhere nothing would ever wake what waits,
 * such as the threads of parallel streams, which the whole process shares.
 */
class ContextThreadsTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Map<String, Function<WorkflowContext, Object>> CALLS =
      Map.of(
          "activity", context -> context.activity("greet", "World", String.class),
          "order", ContextThreadsTest::order,
          "step", context -> context.step("one", Integer.class, () -> 1),
          "timer", context -> context.timer(Duration.ofMillis(1)),
          "event", context -> context.event("go", String.class),
          "child", context -> context.child("greets", "child", "World", String.class),
          "id", WorkflowContext::newId,
          "number", context -> context.random().nextInt());

  private final String url = LocalStores.forTests().freshDatabase();

  @Test
  void anotherThreadCannotUseTheContext() throws Exception {
    try (Durable engine =
        Durable.on(url)
            .activity("greet", String.class, (context, name) -> "Hello " + name)
            .workflow(
                "elsewhere",
                String.class,
                (context, call) -> elsewhere(() -> result(context, call)))
            .workflow(
                "waits",
                String.class,
                (context, input) -> {
                  Promise<String> greeting = order(context);
                  return elsewhere(greeting::get);
                })
            .start()) {
      for (String call : CALLS.keySet()) {
        engine.start("elsewhere", call, call);
      }
      engine.start("waits", "waits", "");
      for (String call : CALLS.keySet()) {
        failsWith(engine, call, "cannot be used by another thread");
      }
      failsWith(engine, "waits", "cannot be used by another thread");
    }
  }

  /** Replays do not run the step, and would make other ids and numbers after it. */
  @Test
  void aStepMakesNoIdsAndNumbersOfTheContext() throws Exception {
    try (Durable engine =
        Durable.on(url)
            .workflow(
                "inside",
                String.class,
                (context, call) -> context.step("inner", String.class, () -> result(context, call)))
            .start()) {
      engine.start("inside", "id", "id");
      engine.start("inside", "number", "number");
      failsWith(engine, "id", "a step cannot use the context");
      failsWith(engine, "number", "a step cannot use the context");
    }
  }

  private static Promise<String> order(WorkflowContext context) {
    return context.order("greet", "World", String.class, ActivityOptions.ONCE);
  }

  private static String result(WorkflowContext context, String call) {
    return String.valueOf(Objects.requireNonNull(CALLS.get(call)).apply(context));
  }

  private static String elsewhere(Callable<String> call) throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      return threads.submit(call).get();
    }
  }

  private static void failsWith(Durable engine, String instance, String error) {
    assertThatThrownBy(() -> engine.await(instance, Object.class, LONG))
        .as(instance)
        .isInstanceOf(WorkflowFailedException.class)
        .hasMessageContaining(error);
  }
}
