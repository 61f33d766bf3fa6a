package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.postgres.Completions.Ack;
import io.convoke.engine.durable.postgres.TurnStore.Pending;
import io.convoke.engine.durable.postgres.WorkerQueue.Change;
import io.convoke.engine.durable.postgres.WorkerQueue.Ref;
import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.Turn;
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
class PlansTest extends NodeKit {
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
    session = keep(Session.open(url, 1, "durable", false));
  }

  @Test
  void workItemsAreFoundByTheirKey() {
    List<Ref> refs = claimWork();
    List<Change> later = refs.stream().map(PlansTest::later).toList();
    Set<Ref> renewed = few(tx -> works.renew(tx, later));
    assertThat(renewed).hasSize(ITEMS);
    Set<Ref> removed = few(tx -> works.remove(tx, refs.subList(0, 10)));
    assertThat(removed).hasSize(10);
    Optional<Instant> back = few(tx -> works.giveBack(tx, later.subList(10, ITEMS)));
    assertThat(back).isPresent();
  }

  @Test
  void completionsFindTheirItemsAndInstances() {
    List<Ack> acks =
        claimWork().stream()
            .map(
                ref ->
                    new Ack(
                        ref,
                        Optional.of(
                            new InstanceMessage("i" + ref.id() % ITEMS, "{}", Optional.empty()))))
            .toList();
    Grant grant = new Grant("mine", ITEMS, LOCK);
    Completions.Acked acked = few(tx -> new Completions().commit(tx, acks, grant));
    assertThat(acked.held()).hasSize(ITEMS);
  }

  @Test
  void instancesAreFoundByTheirKey() {
    List<InstanceQueue.Ref> refs = claimInstances();
    List<InstanceQueue.Change> later =
        refs.stream().map(ref -> new InstanceQueue.Change(ref, Optional.of(LOCK), true)).toList();
    Set<InstanceQueue.Ref> renewed = few(tx -> instances.renew(tx, later));
    assertThat(renewed).hasSize(ITEMS);
    Set<String> back = few(tx -> instances.giveBack(tx, later));
    assertThat(back).hasSize(ITEMS);
    Optional<Instant> waiting =
        few(
            tx ->
                instances.waiting(tx, List.copyOf(back)).one(row -> row.maybeInstant("earliest")));
    assertThat(waiting).isPresent();
  }

  @Test
  void turnsFindWhatTheyUsedUp() {
    List<Pending> turns =
        claimInstances().stream().map(ref -> new Pending(ref, Turn.nothing(1))).toList();
    TurnStore.Committed committed = few(tx -> new TurnStore().commit(tx, turns, Grant.NONE));
    assertThat(committed.held()).hasSize(ITEMS);
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
    try (Database tempted = Session.open(url, 1, "durable", false)) {
      long before = helpers(tempted);
      Survey survey = tempted.read(tx -> Survey.take(tx, Duration.ofMillis(50), 1));
      assertThat(survey.next()).containsKey(Survey.Queue.WORKER);
      assertThat(helpers(tempted) - before).as("parallel workers").isZero();
    }
  }

  private List<Ref> claimWork() {
    return few(tx -> works.claim(tx, "", claim())).stream()
        .map(claimed -> Ref.of(claimed.item().lockToken()).orElseThrow())
        .toList();
  }

  private List<InstanceQueue.Ref> claimInstances() {
    return few(tx -> instances.claim(tx, claim())).instances().stream()
        .map(claimed -> InstanceQueue.Ref.of(claimed.item().lockToken()).orElseThrow())
        .toList();
  }

  private Claim claim() {
    return new Claim(alive, Duration.ZERO, ITEMS, "claim", LOCK);
  }

  private static Change later(Ref ref) {
    return new Change(ref, Optional.of(Duration.ofMinutes(1)), false);
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
                  .one(row -> row.booleanAt("done"));
        });
    return database.read(tx -> tx.sql(sql).one(row -> row.longAt("n")));
  }
}
