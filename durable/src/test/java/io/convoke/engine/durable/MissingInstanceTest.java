package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Messages to instances that do not exist, do not exist yet, or have another parent. */
class MissingInstanceTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  private final String url = LocalStores.forTests().freshDatabase();
  private final Database database =
      Database.open(DatabaseUrl.parse(url), 2, "test", List.of("durable"));
  private final Durable engine =
      Durable.on(url)
          .workflow(
              "wait", String.class, (context, input) -> context.event("go", String.class).get())
          .workflow("done", String.class, (context, input) -> "done")
          .workflow(
              "parent",
              String.class,
              (context, id) -> context.child("done", id, "", String.class).get())
          .start();

  @AfterEach
  void close() {
    engine.close();
    database.close();
  }

  @Test
  void anEventThatComesBeforeItsWorkflowIsKept() throws Exception {
    engine.raise("early", "go", "on");
    await("select attempt_count > 0 and lock_token is null as it from orchestrator_queue");
    engine.start("wait", "early", "");
    assertThat(engine.await("early", String.class, LONG)).isEqualTo("on");
  }

  /** At its tenth delivery: an eleventh would fail an instance that has started meanwhile. */
  @Test
  void anEventForNobodyIsDroppedInTheEndAndLeavesNothing() {
    engine.raise("nobody", "go", "on");
    await("select attempt_count > 0 and lock_token is null as it from orchestrator_queue");
    database.run(
        tx -> {
          int _ =
              tx.sql("update orchestrator_queue set attempt_count = 9, visible_at = now()")
                  .update();
        });
    await("select count(*) = 0 as it from orchestrator_queue");
    await("select count(*) = 0 as it from instances");
  }

  @Test
  void anAnswerToADeletedInstanceIsDroppedAtOnce() throws Exception {
    engine.start("parent", "p", "child");
    assertThat(engine.await("p", String.class, LONG)).isEqualTo("done");
    assertThat(engine.provider().admin().delete("p", false)).isTrue();
    database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      insert into orchestrator_queue (instance_id, work_item) values ('p',
                        '{"execution": 1, "type": "Completed", "data": {"order": 2,
                          "result": 1, "at": "2026-01-01T00:00:00Z"}}')
                      """)
                  .update();
        });
    await("select count(*) = 0 as it from orchestrator_queue");
    await("select count(*) = 0 as it from instances where instance_id = 'p'");
  }

  /** It would wait for ever: the instance with the id has another parent. */
  @Test
  void aSubWorkflowWhoseIdIsTakenFails() throws Exception {
    engine.start("done", "taken", "");
    assertThat(engine.await("taken", String.class, LONG)).isEqualTo("done");
    engine.start("wait", "waits", "");
    engine.start("parent", "p1", "taken");
    engine.start("parent", "p2", "waits");
    for (String parent : List.of("p1", "p2")) {
      assertThatThrownBy(() -> engine.await(parent, String.class, LONG))
          .isInstanceOf(WorkflowFailedException.class)
          .hasMessageContaining("is in use");
    }
    engine.raise("waits", "go", "unharmed");
    assertThat(engine.await("waits", String.class, LONG)).isEqualTo("unharmed");
  }

  /** All in one turn: the first letter ends the execution, the others belong to the next ones. */
  @Test
  void whatComesWithTheEndOfAnExecutionIsForTheNext() throws Exception {
    String other = LocalStores.forTests().freshDatabase();
    try (Durable caller = client(other)) {
      caller.start("letters", "l", "");
      for (String letter : List.of("a", "b", "c")) {
        caller.raise("l", "letter", letter);
      }
    }
    try (Durable engine =
        Durable.on(other)
            .workflow(
                "letters",
                String.class,
                (context, read) -> {
                  if (read.length() == 3) {
                    return read;
                  }
                  throw context.continueAsNew(read + context.event("letter", String.class).get());
                })
            .start()) {
      assertThat(engine.await("l", String.class, LONG)).isEqualTo("abc");
    }
  }

  /** The first letter ends the execution while the second waits and the third is raised. */
  @Test
  void whatAnExecutionLeavesComesBeforeWhatIsRaisedAfterIt() throws Exception {
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch raised = new CountDownLatch(1);
    String other = LocalStores.forTests().freshDatabase();
    try (Durable caller = client(other)) {
      caller.start("letters", "l", "");
      caller.raise("l", "letter", "a");
      caller.raise("l", "letter", "b");
      try (Durable engine =
          Durable.on(other)
              .workflow(
                  "letters",
                  String.class,
                  (context, read) -> {
                    if (read.length() == 3) {
                      return read;
                    }
                    String letter = context.event("letter", String.class).get();
                    boolean _ =
                        context.step(
                            "read",
                            Boolean.class,
                            () -> {
                              reading.countDown();
                              return raised.await(LONG.toSeconds(), TimeUnit.SECONDS);
                            });
                    throw context.continueAsNew(read + letter);
                  })
              .start()) {
        assertThat(reading.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        caller.raise("l", "letter", "c");
        raised.countDown();
        assertThat(engine.await("l", String.class, LONG)).isEqualTo("abc");
      } finally {
        raised.countDown();
      }
    }
  }

  private static Durable client(String database) {
    return Durable.over(
            PostgresProvider.open(
                DatabaseUrl.parse(database), "durable", LongPollConfig.defaults()),
            LongPollConfig.defaults())
        .connect();
  }

  private void await(String condition) {
    long end = System.nanoTime() + LONG.toNanos();
    while (!database
        .read(tx -> tx.sql(condition).first(resultRow -> resultRow.booleanAt("it")))
        .orElse(false)) {
      assertThat(System.nanoTime()).as(condition).isLessThan(end);
      LockSupport.parkNanos(10_000_000);
    }
  }
}
