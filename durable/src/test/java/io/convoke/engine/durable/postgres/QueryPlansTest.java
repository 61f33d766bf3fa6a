package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.postgres.TurnStore.PendingTurn;
import io.convoke.engine.durable.postgres.WorkItemAcks.WorkItemAck;
import io.convoke.engine.durable.postgres.WorkerQueue.WorkItemLockChange;
import io.convoke.engine.durable.postgres.WorkerQueue.WorkItemLockRef;
import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.TurnCommit;
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
import org.junit.jupiter.api.Test;

/**
 * What single rows are found by, where the statistics speak of few live rows in large indexes: that
 * is how a queue looks to Postgres while somebody holds a transaction open.
 */
class QueryPlansTest extends NodeTestKit {
  private static final int ITEMS = 20;
  private static final int DEAD = 40_000;

  /** For each row its versions in a few indexes; all the dead are more by far. */
  private static final long ENTRIES_MAX = 20 * ITEMS;

  private final WorkerQueue works = new WorkerQueue();
  private final InstanceQueue instances = new InstanceQueue();
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
    session = keep(EngineConnections.open(url, 1, "durable", false));
  }

  @Test
  void workItemsAreFoundByTheirKey() {
    List<WorkItemLockRef> refs = claimWork();
    List<WorkItemLockChange> later = refs.stream().map(QueryPlansTest::later).toList();
    Set<WorkItemLockRef> renewed = few(tx -> works.renew(tx, later));
    assertThat(renewed).hasSize(ITEMS);
    Set<WorkItemLockRef> removed = few(tx -> works.remove(tx, refs.subList(0, 10)));
    assertThat(removed).hasSize(10);
    Optional<Instant> back = few(tx -> works.release(tx, later.subList(10, ITEMS)));
    assertThat(back).isPresent();
  }

  @Test
  void completionsFindTheirItemsAndInstances() {
    List<WorkItemAck> acks =
        claimWork().stream()
            .map(
                workItemLockRef ->
                    new WorkItemAck(
                        workItemLockRef,
                        Optional.of(
                            new InstanceMessage(
                                "i" + workItemLockRef.id() % ITEMS, "{}", Optional.empty()))))
            .toList();
    Handoff handoff = new Handoff("mine", ITEMS, LOCK);
    WorkItemAcks.AckOutcome ackOutcome = few(tx -> new WorkItemAcks().commit(tx, acks, handoff));
    assertThat(ackOutcome.held()).hasSize(ITEMS);
  }

  @Test
  void instancesAreFoundByTheirKey() {
    List<InstanceQueue.InstanceLockRef> refs = claimInstances();
    List<InstanceQueue.InstanceLockChange> later =
        refs.stream()
            .map(
                instanceLockRef ->
                    new InstanceQueue.InstanceLockChange(instanceLockRef, Optional.of(LOCK), true))
            .toList();
    Set<InstanceQueue.InstanceLockRef> renewed = few(tx -> instances.renew(tx, later));
    assertThat(renewed).hasSize(ITEMS);
    Set<String> back = few(tx -> instances.release(tx, later));
    assertThat(back).hasSize(ITEMS);
    Optional<Instant> waiting =
        few(
            tx ->
                instances
                    .waiting(tx, List.copyOf(back))
                    .one(resultRow -> resultRow.maybeInstant("earliest")));
    assertThat(waiting).isPresent();
  }

  @Test
  void turnsFindWhatTheyUsedUp() {
    List<PendingTurn> turns =
        claimInstances().stream()
            .map(instanceLockRef -> new PendingTurn(instanceLockRef, TurnCommit.empty(1)))
            .toList();
    TurnStore.TurnCommitResult turnCommitResult =
        few(tx -> new TurnStore().commit(tx, turns, Handoff.NONE));
    assertThat(turnCommitResult.held()).hasSize(ITEMS);
    assertThat(number("select count(*) as n from orchestrator_queue")).isZero();
  }

  /**
   * Two processes more for each of a few surveys a second would cost others their punctuality. A
   * million timers are enough to tempt Postgres; here helpers are cheap instead.
   */
  @Test
  void aSurveyOfManyTimersStaysInItsOwnProcess() {
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
    try (Database tempted = EngineConnections.open(url, 1, "durable", false)) {
      long before = helpers(tempted);
      QueueScan queueScan = tempted.read(tx -> QueueScan.read(tx, Duration.ofMillis(50), 1));
      assertThat(queueScan.next()).containsKey(QueueScan.QueueKind.WORKER);
      assertThat(helpers(tempted) - before).as("parallel workers").isZero();
    }
  }

  private List<WorkItemLockRef> claimWork() {
    return few(tx -> works.claim(tx, "", claim())).stream()
        .map(claimedItem -> WorkItemLockRef.of(claimedItem.item().lockToken()).orElseThrow())
        .toList();
  }

  private List<InstanceQueue.InstanceLockRef> claimInstances() {
    return few(tx -> instances.claim(tx, claim())).instances().stream()
        .map(
            claimedItem ->
                InstanceQueue.InstanceLockRef.of(claimedItem.item().lockToken()).orElseThrow())
        .toList();
  }

  private ClaimRequest claim() {
    return new ClaimRequest(alive, Duration.ZERO, ITEMS, "claim", LOCK);
  }

  private static WorkItemLockChange later(WorkItemLockRef workItemLockRef) {
    return new WorkItemLockChange(workItemLockRef, Optional.of(Duration.ofMinutes(1)), false);
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

  /** Does something, and looks how many index entries were read for it. */
  private <T> T few(Function<Tx, T> work) {
    long before = entries();
    T result = session.transaction(work::apply);
    assertThat(entries() - before).as("index entries").isLessThan(ENTRIES_MAX);
    return result;
  }

  private long entries() {
    return counted(session, "select sum(idx_tup_read)::bigint as n from pg_stat_user_indexes");
  }

  private static long helpers(Database database) {
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
