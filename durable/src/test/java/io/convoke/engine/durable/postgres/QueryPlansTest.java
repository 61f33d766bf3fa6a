package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.postgres.QueueClaimer.ClaimRequest;
import io.convoke.engine.durable.postgres.QueueClaimer.Handoff;
import io.convoke.engine.durable.postgres.QueueCommits.AckResult;
import io.convoke.engine.durable.postgres.QueueCommits.LockAck;
import io.convoke.engine.durable.postgres.QueueCommits.LockChange;
import io.convoke.engine.durable.postgres.QueueCommits.LockRef;
import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.durable.provider.ProviderAdmin.InstanceInfo;
import io.convoke.engine.durable.provider.TurnCommit;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The plans of statements on single rows, where the statistics count few live rows in large
 * indexes: so Postgres sees a queue while a transaction is held open.
 */
@Tag("nightly")
class QueryPlansTest extends NodeTestKit {
  private static final int ITEMS = 20;
  private static final int DEAD = 40_000;

  /** For each row its versions in a few indexes; all the dead are more by far. */
  private static final long ENTRIES_MAX = 20 * ITEMS;

  private Instant alive = Instant.MIN;
  private Database session;

  @BeforeEach
  void deadRowsAndAFewLiveOnes() throws Exception {
    Connection held = keep(DriverManager.getConnection(url.jdbc(), url.properties()));
    held.setAutoCommit(false);
    held.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    try (Statement statement = held.createStatement()) {
      boolean _ = statement.execute("select pg_current_xact_id()");
    }
    insert("dead", DEAD);
    execute("delete from worker_queue");
    execute("delete from orchestrator_queue");
    execute("delete from instances");
    alive = storeTime();
    insert("i", ITEMS);
    execute("analyze worker_queue");
    execute("analyze orchestrator_queue");
    execute("analyze instances");
    session = keep(EngineConnections.open(url, 1, new SchemaNames("durable"), false));
  }

  @Test
  void workItemsAreFoundByTheirKey() {
    List<LockRef> refs = claimWork();
    List<LockChange> longer = refs.stream().map(QueryPlansTest::longer).toList();
    Set<LockRef> renewed = few(tx -> WorkItemStore.renew(tx, longer));
    assertThat(renewed).hasSize(ITEMS);
    Set<LockRef> removed = few(tx -> WorkItemStore.remove(tx, refs.subList(0, 10)));
    assertThat(removed).hasSize(10);
    Optional<Instant> released = few(tx -> WorkItemStore.release(tx, longer.subList(10, ITEMS)));
    assertThat(released).isPresent();
  }

  @Test
  void completionsFindTheirItemsAndInstances() {
    List<LockAck<Optional<InstanceMessage>>> acks =
        claimWork().stream()
            .map(
                ref ->
                    new LockAck<>(
                        ref,
                        Optional.of(
                            new InstanceMessage("i" + Long.parseLong(ref.key()) % ITEMS, "{}"))))
            .toList();
    Handoff handoff = new Handoff("mine", ITEMS, LOCK);
    AckResult<OrchestrationItem> result = few(tx -> WorkItemStore.ackAndSend(tx, acks, handoff));
    assertThat(result.held()).hasSize(ITEMS);
  }

  @Test
  void instancesAreFoundByTheirKey() {
    List<LockChange> longer = claimInstances().stream().map(QueryPlansTest::longer).toList();
    Set<LockRef> renewed = few(tx -> InstanceStore.renew(tx, longer));
    assertThat(renewed).hasSize(ITEMS);
    Set<LockRef> released = few(tx -> InstanceStore.release(tx, longer));
    assertThat(released).hasSize(ITEMS);
    Optional<Instant> waiting =
        few(
            tx ->
                InstanceStore.waiting(tx, released)
                    .one(resultRow -> resultRow.maybeInstant("earliest")));
    assertThat(waiting).isPresent();
  }

  @Test
  void turnsFindTheMessagesThatTheyConsumed() {
    List<LockAck<TurnCommit>> turns =
        claimInstances().stream().map(ref -> new LockAck<>(ref, TurnCommit.empty(1))).toList();
    AckResult<WorkItem> result = few(tx -> TurnStore.commit(tx, turns, Handoff.NONE));
    assertThat(result.held()).hasSize(ITEMS);
    assertThat(number("select count(*) as n from orchestrator_queue")).isZero();
  }

  @Test
  void subWorkflowsAreFoundByTheirParent() {
    execute(
        """
        insert into instances (instance_id, parent_instance_id)
        select 'other' || n, null from generate_series(1, 50000) n
        union all select 'child' || n, 'parent' from generate_series(1, 3) n
        """);
    List<String> children = few(tx -> AdminQueries.children(tx, "parent"));
    assertThat(children).containsExactly("child1", "child2", "child3");
  }

  @Test
  void schedulesAreFoundByTheirIds() {
    execute(
        """
        insert into instances (instance_id, orchestration_name)
        select 'other' || n, 'note' from generate_series(1, 50000) n
        union all select 'schedule:' || id, 'convoke.schedule'
          from unnest(array['a', 'Z', '.', '9', 'é', '日']) id
        union all select 'schedules of Ann', 'note'
        """);
    execute(
        """
        insert into executions (instance_id, execution_id) select instance_id, 1 from instances
        """);
    List<InstanceInfo> schedules =
        few(
            tx ->
                AdminQueries.instancesBetween(tx, "schedule", "schedulf", "convoke.schedule", 10));
    assertThat(schedules)
        .extracting(InstanceInfo::instanceId)
        .containsExactlyInAnyOrder(
            "schedule:a", "schedule:Z", "schedule:.", "schedule:9", "schedule:é", "schedule:日");
    List<InstanceInfo> last =
        few(
            tx ->
                AdminQueries.instancesBetween(
                    tx, schedules.get(3).instanceId(), "schedulf", "convoke.schedule", 10));
    assertThat(last).isEqualTo(schedules.subList(4, 6));
  }

  /**
   * Two parallel workers for each of a few scans a second would delay other statements. Postgres
   * starts them for a million timers; here parallel workers are made cheap instead.
   */
  @Test
  void aScanOfManyTimersStartsNoParallelWorkers() {
    execute(
        """
        insert into worker_queue (instance_id, work_item, visible_at)
        select 'waiting', '{}', now() + interval '1 hour' from generate_series(1, 20000)
        """);
    execute("analyze worker_queue");
    for (String cheap :
        List.of("parallel_setup_cost", "parallel_tuple_cost", "min_parallel_index_scan_size")) {
      execute(
          """
          do $$ begin
            execute format('alter database %%I set %s = 0', current_database());
          end $$
          """
              .formatted(cheap));
    }
    try (Database tempted = EngineConnections.open(url, 1, new SchemaNames("durable"), false)) {
      long before = parallelWorkers(tempted);
      QueueSnapshot queueSnapshot =
          tempted.read(tx -> QueueSnapshot.read(tx, Duration.ofMillis(50), 1));
      assertThat(queueSnapshot.next()).containsKey(QueueSnapshot.QueueKind.WORKER);
      assertThat(parallelWorkers(tempted) - before).as("parallel workers").isZero();
    }
  }

  private List<LockRef> claimWork() {
    return few(tx -> WorkItemStore.claim(tx, claim())).stream()
        .map(claimedItem -> LockRef.of(claimedItem.item().lockToken()).orElseThrow())
        .toList();
  }

  private List<LockRef> claimInstances() {
    return few(tx -> InstanceStore.claim(tx, claim())).stream()
        .flatMap(row -> row.instanceId().stream())
        .distinct()
        .map(instance -> new LockRef("claim", instance))
        .toList();
  }

  private ClaimRequest claim() {
    return new ClaimRequest("", alive, Duration.ZERO, ITEMS, "claim", LOCK);
  }

  private static LockChange longer(LockRef ref) {
    return new LockChange(ref, Optional.of(Duration.ofMinutes(1)), true);
  }

  private void insert(String name, int number) {
    for (String sql :
        List.of(
            "insert into instances (instance_id) select '%s' || n from generate_series(0, %d) n",
            "insert into worker_queue (instance_id, work_item)"
                + " select '%s' || n, '{}' from generate_series(0, %d) n",
            "insert into orchestrator_queue (instance_id, work_item)"
                + " select '%s' || n, '{}' from generate_series(0, %d) n")) {
      execute(sql.formatted(name, number - 1));
    }
  }

  /** Runs statements and checks how many index entries they read. */
  private <T> T few(Function<Tx, T> work) {
    long before = entries();
    T result = session.transaction(work::apply);
    assertThat(entries() - before).as("index entries").isLessThan(ENTRIES_MAX);
    return result;
  }

  private long entries() {
    return counted(session, "select sum(idx_tup_read)::bigint as n from pg_stat_user_indexes");
  }

  private static long parallelWorkers(Database database) {
    return counted(
        database,
        """
        select parallel_workers_launched as n from pg_stat_database
        where datname = current_database()
        """);
  }

  private static long counted(Database database, String sql) {
    database.run(
        tx -> {
          boolean _ =
              tx.sql("select pg_stat_force_next_flush() is null as done")
                  .one(resultRow -> resultRow.booleanAt("done"));
        });
    return database.read(tx -> tx.sql(sql).one(resultRow -> resultRow.longAt("n")));
  }
}
