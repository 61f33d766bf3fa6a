package io.convoke.server.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.postgres.PostgresProvider;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.Query;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.Migrations;
import io.convoke.server.TableReads;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Retention deletes old ended workflows with owner and history, and nothing else. */
class WorkflowRetentionTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Duration MONTH = Duration.ofDays(30);

  private final DatabaseUrl url = DatabaseUrl.parse(MigratedDatabase.url());
  private final Database database = Database.open(url, 4, "test", Migrations.SCHEMAS);
  private final Durable engine;

  WorkflowRetentionTest() {
    LongPollConfig config = LongPollConfig.defaults().on();
    PostgresProvider provider = PostgresProvider.open(url, "durable", config);
    Durable.Builder builder = Durable.over(provider, config);
    new WorkflowRetention(provider.admin(), new WorkflowStore(database)).register(builder);
    engine =
        builder
            .workflow("quick", String.class, (context, input) -> input)
            .workflow(
                "child",
                String.class,
                (context, id) -> context.child("quick", id, "", String.class).get())
            .workflow(
                "slow", String.class, (context, input) -> context.event("go", String.class).get())
            .workflow(
                "again",
                Integer.class,
                (context, left) -> {
                  if (left > 0) {
                    throw context.continueAsNew(left - 1);
                  }
                  return context.event("go", String.class).get();
                })
            .start();
  }

  @AfterEach
  void close() {
    engine.close();
    database.close();
  }

  @Test
  void whatEndedLongAgoGoesWithAllThatIsKnownOfIt() throws Exception {
    long ann = number("insert into users (email) values ('ann@example.org') returning id as n");
    run("quick", "old", "");
    run("child", "parent", "its-child");
    run("quick", "young", "");
    engine.start("slow", "runs", "");
    engine.start("again", "often", 2);
    for (String id : List.of("old", "young", "runs", "ordered", "gone")) {
      change("insert into workflow_owners (instance_id, user_id) values (?, ?)", id, ann);
    }
    change(
        "insert into orchestrator_queue (instance_id, work_item, visible_at) values ('ordered', '',"
            + " now() + interval '1 hour')");
    await("select current_execution_id = 3 as it from instances where instance_id = 'often'");
    await("select exists (select from executions where instance_id = 'runs') as it");
    for (String table :
        List.of(
            "instances set created_at =",
            "workflow_owners set created_at =",
            "executions set started_at = now() - interval '40 days', completed_at =")) {
      change(
          "update "
              + table
              + " now() - interval '31 days' where instance_id <> 'young'"
              + (table.startsWith("executions") ? " and status <> 'Running'" : ""));
    }

    JsonNode removed = run("retention", "retention@now", MONTH.toMillis());

    assertThat(removed.path("instances").asInt()).isEqualTo(3);
    assertThat(removed.path("executions").asInt()).isEqualTo(2);
    assertThat(removed.path("owners").asInt()).isEqualTo(2);
    assertThat(ids("instances")).containsExactly("often", "retention@now", "runs", "young");
    assertThat(ids("history")).containsExactly("often", "retention@now", "runs", "young");
    assertThat(ids("workflow_owners")).containsExactly("ordered", "runs", "young");
    assertThat(engine.provider().admin().executions("often")).hasSize(1);
    engine.raise("runs", "go", "on");
    assertThat(engine.await("runs", String.class, LONG)).isEqualTo("on");
  }

  @Test
  void ownersOfYoungWorkflowsAreNotRead() {
    change(
        """
        with ann as (insert into users (email) values ('ann@example.org') returning id)
        insert into workflow_owners (instance_id, user_id, created_at)
        select 'gone' || n, id, now() - case when n > 3 then 0 else 31 end * interval '1 day'
        from ann, generate_series(1, 20000) n
        """);
    change("analyze workflow_owners");
    try (Database single = Database.open(url, 1, "test", Migrations.SCHEMAS)) {
      WorkflowStore store = new WorkflowStore(single);
      long read =
          TableReads.of(
              single,
              "workflow_owners",
              () -> assertThat(store.deleteOrphanedOwners(MONTH, 200)).isEqualTo(3));
      assertThat(read).isLessThan(20);
    }
  }

  @Test
  void theClockDoesItEachDayUnlessNothingIsToGo() {
    WorkflowRetention.schedule(engine, MONTH);
    await("select exists (select from instances where custom_status like '%17 3 * * *%') as it");
    assertThat(engine.schedules()).hasSize(1);
    WorkflowRetention.schedule(engine, Duration.ZERO);
    while (!engine.schedules().isEmpty()) {
      LockSupport.parkNanos(10_000_000);
    }
  }

  private JsonNode run(String workflow, String id, Object input) throws Exception {
    engine.start(workflow, id, input);
    return engine.await(id, JsonNode.class, LONG);
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

  private void change(String sql, Object... values) {
    database.run(
        tx -> {
          Query query = tx.sql(sql);
          int _ =
              (values.length == 0 ? query : query.with(Arrays.copyOf(values, values.length)))
                  .update();
        });
  }

  private List<String> ids(String table) {
    return database.read(
        tx ->
            tx.sql("select distinct instance_id as id from " + table + " order by 1")
                .list(resultRow -> resultRow.text("id")));
  }

  private long number(String sql) {
    return database.read(tx -> tx.sql(sql).one(resultRow -> resultRow.longAt("n")));
  }
}
