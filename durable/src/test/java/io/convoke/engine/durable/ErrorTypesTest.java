package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.provider.ExecutionStatus;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.simulator.stores.LocalStores;
import java.io.FileNotFoundException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** What a workflow is told of a failure, and failures that are not retried. */
class ErrorTypesTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final ActivityOptions FIVE_TIMES =
      ActivityOptions.retried(RetryPolicy.attempts(5, Duration.ofMillis(10)));

  private final String url = LocalStores.forTests().freshDatabase();
  private final AtomicInteger calls = new AtomicInteger();

  @Test
  void aNonRetryableExceptionFailsTheActivityAtOnce() throws Exception {
    try (Durable engine = engine().start()) {
      assertThat(run(engine, "reject")).isEqualTo(NonRetryableException.class.getName() + ": no");
      assertThat(run(engine, "wrap")).isEqualTo("java.lang.ArithmeticException: no, since");
      assertThat(calls).hasValue(2);
    }
  }

  @Test
  void theClassOfAFailureReachesTheWorkflowAndItsParent() throws Exception {
    try (Durable engine = engine().start()) {
      assertThat(run(engine, "missing")).isEqualTo("java.io.FileNotFoundException: a.txt");
      assertThat(calls).hasValue(5);
      assertThat(run(engine, "child of missing")).isEqualTo("java.io.FileNotFoundException: a.txt");
      assertThat(run(engine, "child of code"))
          .isEqualTo("java.lang.IllegalStateException: by code");
      assertThat(run(engine, "hang")).startsWith("none: took longer than");
    }
  }

  /** The error of a history that was written before errors had types. */
  @Test
  void anOlderFailureHasNoType() throws Exception {
    try (Durable before = engine().start()) {
      before.start("waits", "w", "missing");
      awaitStatus(before, "w");
    }
    try (Database database = Database.open(DatabaseUrl.parse(url), 1, "test", List.of("durable"))) {
      int changed =
          database.transaction(
              tx ->
                  tx.sql(
                          """
                          update history set event_data = (event_data::jsonb - 'error_type')::text
                          where event_type = 'Failed' and event_data like '%error_type%'
                          """)
                      .update());
      assertThat(changed).isEqualTo(1);
    }
    try (Durable after = engine().start()) {
      after.raise("w", "go", "");
      assertThat(after.await("w", String.class, LONG)).isEqualTo("none: a.txt");
    }
  }

  private static String run(Durable engine, String what) throws Exception {
    engine.start("reports", what, what);
    return engine.await(what, String.class, LONG);
  }

  private static void awaitStatus(Durable engine, String instance) {
    long end = System.nanoTime() + LONG.toNanos();
    while (engine.instance(instance).flatMap(it -> it.customStatus()).isEmpty()) {
      assertThat(System.nanoTime()).isLessThan(end);
      LockSupport.parkNanos(10_000_000);
    }
    assertThat(engine.instance(instance).orElseThrow().status()).isEqualTo(ExecutionStatus.RUNNING);
  }

  private Durable.Builder engine() {
    return Durable.on(url)
        .activity("do", String.class, (context, what) -> fail(what))
        .workflow(
            "fails",
            String.class,
            (context, what) -> {
              if (what.equals("code")) {
                throw new IllegalStateException("by code");
              }
              return context.activity("do", what, String.class);
            })
        .workflow("reports", String.class, ErrorTypesTest::reported)
        .workflow(
            "waits",
            String.class,
            (context, what) -> {
              String failure = reported(context, what);
              context.status("failed");
              String _ = context.event("go", String.class).get();
              return failure;
            });
  }

  private static String reported(WorkflowContext context, String what) {
    try {
      return what.startsWith("child of ")
          ? context
              .child("fails", context.instanceId() + "-c", what.substring(9), String.class)
              .get()
          : context.activity(
              "do",
              what,
              String.class,
              what.equals("hang")
                  ? ActivityOptions.ONCE.within(Duration.ofMillis(100))
                  : FIVE_TIMES);
    } catch (ActivityFailedException e) {
      return e.errorType().orElse("none") + ": " + e.getMessage();
    }
  }

  private String fail(String what) throws Exception {
    int _ = calls.incrementAndGet();
    switch (what) {
      case "missing" -> throw new FileNotFoundException("a.txt");
      case "reject" -> throw new NonRetryableException("no");
      case "wrap" -> throw new NonRetryableException("no, since", new ArithmeticException("/ 0"));
      default -> new CountDownLatch(1).await();
    }
    return "";
  }
}
