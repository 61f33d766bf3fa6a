package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.durable.provider.ExecutionStatus;
import io.convoke.engine.durable.provider.ProviderAdmin.ExecutionInfo;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An instance whose turns have all failed has failed, also where an execution cannot begin. */
class LastAttemptTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final ActivityOptions PATIENT =
      ActivityOptions.retried(RetryPolicy.attempts(5, Duration.ofMinutes(5)));

  private final String url = LocalStores.forTests().freshDatabase();
  private final Database database =
      Database.open(DatabaseUrl.parse(url), 2, "test", List.of("durable"));
  private final AtomicBoolean broken = new AtomicBoolean(true);

  @AfterEach
  void close() {
    database.close();
  }

  private Durable engine() {
    return Durable.on(url)
        .activity(
            "order",
            Integer.class,
            (context, n) -> {
              throw new IllegalStateException("attempt " + context.attempt());
            })
        .workflow(
            "orders",
            Integer.class,
            (context, n) -> {
              Promise<Integer> _ = context.order("order", n, Integer.class, PATIENT);
              int event = context.event("go", Integer.class).get();
              throw new NonDeterminismException(context.instanceId(), event, "one", "another");
            })
        .workflow("waits", Integer.class, (context, n) -> context.event("go", Integer.class).get())
        .workflow(
            "again",
            Integer.class,
            (context, n) -> {
              if (n == 0) {
                throw context.continueAsNew(1);
              }
              if (broken.get()) {
                throw new NonDeterminismException(context.instanceId(), 1, "one", "another");
              }
              return n;
            })
        .workflow(
            "parent",
            String.class,
            (context, id) -> context.child("again", id, 0, Integer.class).get())
        .start();
  }

  /** The history that is read is of the execution before, which has an end. */
  @Test
  void anExecutionThatCannotBeginFailsAndCanBeRetried() throws Exception {
    try (Durable engine = engine()) {
      engine.start("parent", "p", "c");
      awaitGivenBack("c");
      beforeTheLastAttempt("c");
      failsAfterTen(engine, "c");
      failsAfterTen(engine, "p");
      assertThat(engine.provider().admin().executions("c"))
          .extracting(ExecutionInfo::status)
          .containsExactly(ExecutionStatus.CONTINUED_AS_NEW, ExecutionStatus.FAILED);
      broken.set(false);
      assertThat(engine.retry("c")).isTrue();
      assertThat(engine.await("c", Integer.class, LONG)).isEqualTo(1);
    }
  }

  /** As another program may insert it; each turn that receives it fails. */
  @Test
  void aStartBesideAForeignRowIsNotLost() throws Exception {
    try (Durable engine = engine()) {
      engine.start("again", "first", 1);
      engine.start("again", "next", 0);
      awaitGivenBack("first");
      beforeTheLastAttempt("first", "{}");
      awaitGivenBack("next");
      beforeTheLastAttempt("next", "no JSON");
      broken.set(false);
      for (String id : List.of("first", "next")) {
        failsAfterTen(engine, id);
        assertThat(engine.retry(id)).isTrue();
        assertThat(engine.await(id, Integer.class, LONG)).isEqualTo(1);
      }
    }
  }

  /** The start of the execution is in its pause; the event's last attempt is not the start's. */
  @Test
  void anEventAloneFailsNoExecutionThatHasYetToBegin() throws Exception {
    try (Durable engine = engine()) {
      engine.start("again", "c", 0);
      awaitGivenBack("c");
      execute("update orchestrator_queue set visible_at = now() + interval '1 hour'");
      engine.raise("c", "go", 1);
      await(
          """
          select count(*) = 1 as it from orchestrator_queue
          where work_item like '%EventRaised%' and attempt_count > 0 and lock_token is null
          """);
      execute(
          """
          update orchestrator_queue set attempt_count = 10, visible_at = now()
          where work_item like '%EventRaised%'
          """);
      await("select count(*) = 1 as it from orchestrator_queue");
      broken.set(false);
      execute("update orchestrator_queue set visible_at = now()");
      assertThat(engine.await("c", Integer.class, LONG)).isEqualTo(1);
    }
  }

  /** The event alone has no attempt left; the start among its messages has its first one. */
  @Test
  void anEventThatWaitedLongDoesNotFailTheStartThatItWaitedFor() throws Exception {
    try (Durable client = Durable.on(url).connect()) {
      client.raise("w", "go", 7);
      execute("update orchestrator_queue set attempt_count = 10, visible_at = now()");
      client.start("waits", "w", 0);
    }
    try (Durable engine = engine()) {
      assertThat(engine.await("w", Integer.class, LONG)).isEqualTo(7);
    }
  }

  /** A retry orders the same again, which would run beside what is left. */
  @Test
  void anInstanceThatIsGivenUpLeavesNoActivity() throws Exception {
    try (Durable engine = engine()) {
      engine.start("orders", "o", 1);
      await(
          """
          select count(*) = 1 as it from worker_queue
          where attempt_count > 0 and lock_token is null
          """);
      engine.raise("o", "go", 1);
      awaitGivenBack("o");
      beforeTheLastAttempt("o");
      failsAfterTen(engine, "o");
      long left =
          database.read(
              tx -> tx.sql("select count(*) as n from worker_queue").one(row -> row.longAt("n")));
      assertThat(left).isZero();
    }
  }

  private static void failsAfterTen(Durable engine, String instance) {
    assertThatThrownBy(() -> engine.await(instance, Integer.class, LONG))
        .as(instance)
        .isInstanceOf(WorkflowFailedException.class)
        .hasMessageContaining("given up after 10 attempts");
  }

  private void awaitGivenBack(String instance) {
    await(
        """
        select count(*) = 1 as it from orchestrator_queue
        where instance_id = '%s' and attempt_count > 0 and lock_token is null
        """
            .formatted(instance));
  }

  /** Nine attempts are over, and the last one has these messages too. */
  private void beforeTheLastAttempt(String instance, String... foreign) {
    database.run(
        tx -> {
          for (String item : foreign) {
            int _ =
                tx.sql("insert into orchestrator_queue (instance_id, work_item) values (?, ?)")
                    .with(instance, item)
                    .update();
          }
          int _ =
              tx.sql(
                      """
                      update orchestrator_queue set attempt_count = 9, visible_at = now()
                      where instance_id = ?
                      """)
                  .with(instance)
                  .update();
        });
  }

  private void execute(String sql) {
    database.run(
        tx -> {
          int _ = tx.sql(sql).update();
        });
  }

  private void await(String condition) {
    long end = System.nanoTime() + LONG.toNanos();
    while (!database.read(tx -> tx.sql(condition).one(row -> row.booleanAt("it")))) {
      assertThat(System.nanoTime()).as(condition).isLessThan(end);
      LockSupport.parkNanos(10_000_000);
    }
  }
}
