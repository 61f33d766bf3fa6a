package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.durable.provider.ExecutionStatus;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes of two releases, with different workflows and activities, share one schema. */
class TwoReleasesTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  private final String url = LocalStores.forTests().freshDatabase();
  private final Database database =
      Database.open(DatabaseUrl.parse(url), 1, "two-releases-test", List.of("durable"));

  @AfterEach
  void close() {
    database.close();
  }

  /** Each activity has one attempt, so one that a node refused as a failure would fail for good. */
  @Test
  @Tag("nightly")
  void eachNodeRunsTheActivitiesThatItKnows() throws Exception {
    try (Durable first = both().activity("a", Integer.class, (context, n) -> n + 1).start();
        Durable second = both().activity("b", Integer.class, (context, n) -> n * 10).start()) {
      for (int i = 0; i < 100; i++) {
        (i % 2 == 0 ? first : second).start("both", "both-" + i, i);
      }
      for (int i = 0; i < 100; i++) {
        assertThat(first.await("both-" + i, Integer.class, LONG)).isEqualTo((i + 1) * 10);
      }
    }
  }

  private Durable.Builder both() {
    return Durable.on(url)
        .workflow(
            "both",
            Integer.class,
            (context, n) ->
                context.activity("b", context.activity("a", n, Integer.class), Integer.class));
  }

  @Test
  @Tag("nightly")
  void anOldNodeLeavesANewWorkflowToTheNewNode() throws Exception {
    try (Durable old = release().start();
        Durable _ =
            release()
                .activity("step", Integer.class, (context, n) -> n + 1)
                .workflow(
                    "fresh",
                    Integer.class,
                    (context, n) ->
                        context.activity("step", n, Integer.class)
                            + context.event("go", Integer.class).get())
                .start()) {
      for (int i = 0; i < 50; i++) {
        old.start("fresh", "fresh-" + i, i);
        old.raise("fresh-" + i, "go", 100);
        old.start("plain", "plain-" + i, i);
      }
      for (int i = 0; i < 50; i++) {
        assertThat(old.await("plain-" + i, Integer.class, LONG)).isEqualTo(i);
        assertThat(old.await("fresh-" + i, Integer.class, LONG)).isEqualTo(i + 101);
      }
    }
  }

  @Tag("nightly")
  @Test
  void workThatNoNodeKnowsWaitsUncounted() throws Exception {
    try (Durable old = release().start()) {
      old.start("fresh", "f", 1);
      awaitTurns(4);
      assertThat(old.instance("f")).isEmpty();
      assertThat(attempts()).isLessThanOrEqualTo(1);
      try (Durable _ = release().workflow("fresh", Integer.class, (context, n) -> n + 1).start()) {
        assertThat(old.await("f", Integer.class, LONG)).isEqualTo(2);
      }
    }
  }

  /** Its first event, from which the start is known, or a later one. */
  @Test
  void anInstanceWhoseHistoryCannotBeReadFailsAfterItsLastAttempt() throws Exception {
    try (Durable before = waiting().start()) {
      for (String id : List.of("first", "later", "late")) {
        before.start("waits", id, 1);
        awaitBegun(before, id);
      }
    }
    try (Durable client = Durable.on(url).connect()) {
      for (String id : List.of("first", "later", "late")) {
        client.raise(id, "go", 1);
      }
    }
    spoil("first", 1, "Unheard", "{}");
    spoil("later", 2, "Unheard", "{}");
    spoil("late", 2, "TimerCreated", "{\"fire_at\":\"never\"}");
    int _ =
        database.transaction(
            tx ->
                tx.sql(
                        """
                        update orchestrator_queue
                        set attempt_count = case instance_id when 'late' then 10 else 9 end
                        """)
                    .update());
    try (Durable after = waiting().start()) {
      assertThatThrownBy(() -> after.await("first", Integer.class, LONG))
          .isInstanceOf(WorkflowFailedException.class)
          .hasMessage("given up after 10 attempts: unknown event type Unheard");
      assertThatThrownBy(() -> after.await("later", Integer.class, LONG))
          .isInstanceOf(WorkflowFailedException.class)
          .hasMessage("given up after 10 attempts: unknown event type Unheard");
      assertThatThrownBy(() -> after.await("late", Integer.class, LONG))
          .isInstanceOf(WorkflowFailedException.class)
          .hasMessage("given up after 10 attempts");
    }
  }

  private Durable.Builder release() {
    return Durable.on(url).workflow("plain", Integer.class, (context, n) -> n);
  }

  private Durable.Builder waiting() {
    return Durable.on(url)
        .workflow(
            "waits",
            Integer.class,
            (context, n) -> {
              Promise<Integer> go = context.event("go", Integer.class);
              Promise<?> late = context.timer(Duration.ofHours(1));
              return context.select(List.of(go, late));
            });
  }

  private void spoil(String instance, int event, String type, String data) {
    int _ =
        database.transaction(
            tx ->
                tx.sql(
                        """
                        update history set event_type = ?, event_data = ?
                        where instance_id = ? and event_id = ?
                        """)
                    .with(type, data, instance, event)
                    .update());
  }

  private void awaitTurns(int turns) {
    long end = System.nanoTime() + LONG.toNanos();
    while (number("select coalesce(max(turn), 0) as n from instances") < turns) {
      assertThat(System.nanoTime()).isLessThan(end);
      LockSupport.parkNanos(10_000_000);
    }
  }

  private int attempts() {
    return number("select max(attempt_count) as n from orchestrator_queue");
  }

  private int number(String sql) {
    return database.read(tx -> tx.sql(sql).one(row -> row.intAt("n")));
  }

  private static void awaitBegun(Durable engine, String instance) {
    long end = System.nanoTime() + LONG.toNanos();
    while (engine.instance(instance).filter(it -> it.status() == ExecutionStatus.RUNNING).isEmpty()
        || engine.provider().read(instance).isEmpty()) {
      assertThat(System.nanoTime()).isLessThan(end);
      LockSupport.parkNanos(10_000_000);
    }
  }
}
