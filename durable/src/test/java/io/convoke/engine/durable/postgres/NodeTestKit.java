package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.provider.LockStatus;
import io.convoke.engine.durable.provider.LongPollConfig;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.wake.PostgresListener;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Nodes on a database of their own, and a session that writes by plain SQL, without the engine. */
abstract class NodeTestKit {
  static final Duration LOCK = Duration.ofSeconds(30);
  static final Duration LONG = Duration.ofSeconds(20);

  private final List<AutoCloseable> opened = new ArrayList<>();
  DatabaseUrl url;
  Database foreign;

  @BeforeEach
  void install() {
    url = DatabaseUrl.parse(freshDatabase());
    foreign = keep(Database.open(url, 4, "foreign", List.of("durable")));
    DurableSchema.install(foreign, "durable");
  }

  /** The URL of the Postgres under test. */
  String freshDatabase() {
    return LocalStores.forTests().freshDatabase();
  }

  /** The way of the nodes to that Postgres; their listeners take the direct one. */
  DatabaseUrl through(DatabaseUrl direct) {
    return direct;
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : opened.reversed()) {
      each.close();
    }
  }

  static void ackNothing(PostgresProvider provider, OrchestrationItem item) {
    var turnCommit = io.convoke.engine.durable.provider.TurnCommit.empty(item.executionId());
    assertThat(provider.ackOrchestrationItem(item.lockToken(), turnCommit))
        .isEqualTo(LockStatus.HELD);
  }

  static int workOff(PostgresProvider node) throws InterruptedException {
    int done = 0;
    Optional<WorkItem> item = node.fetchWorkItem(LOCK, Duration.ofSeconds(3));
    while (item.isPresent()) {
      assertThat(node.ackWorkItem(item.get().lockToken(), Optional.empty()))
          .isEqualTo(LockStatus.HELD);
      done++;
      item = node.fetchWorkItem(LOCK, Duration.ofSeconds(3));
    }
    return done;
  }

  /** How long ago the latest locked row became visible, by the database's clock. */
  Duration lateness() {
    return foreign.read(
        tx ->
            tx.sql(
                    """
                    select extract(epoch from clock_timestamp() - max(visible_at)) * 1e6 as late
                    from worker_queue where lock_token is not null
                    """)
                .one(resultRow -> Duration.ofNanos(Math.round(resultRow.doubleAt("late") * 1000))));
  }

  void insertWork(String visibleAt) {
    foreign.run(
        tx -> {
          int _ =
              tx.sql(
                      "insert into worker_queue (instance_id, work_item, visible_at) values ('i',"
                          + " 'x', "
                          + visibleAt
                          + ")")
                  .update();
        });
  }

  void insertMessage(String instance, String visibleAt) {
    execute(
        "insert into orchestrator_queue (instance_id, work_item, visible_at) values ('"
            + instance
            + "', '{}', "
            + visibleAt
            + ")");
  }

  /** Executes plain SQL, as a writer without the engine does. */
  void execute(String sql) {
    foreign.run(
        tx -> {
          int _ = tx.sql(sql).update();
        });
  }

  long number(String sql) {
    return foreign.read(tx -> tx.sql(sql).one(resultRow -> resultRow.longAt("n")));
  }

  void terminate(String application) {
    foreign.read(
        tx ->
            tx.sql(
                    """
                    select count(pg_terminate_backend(pid)) as n from pg_stat_activity
                    where application_name = ? and datname = current_database()
                    """)
                .with(application)
                .one(resultRow -> resultRow.intAt("n")));
  }

  /** A count once it has not changed for longer than the pause between two scans. */
  static long settled(LongSupplier count) {
    long known = count.getAsLong();
    long since = System.nanoTime();
    while (System.nanoTime() - since < Duration.ofMillis(400).toNanos()) {
      LockSupport.parkNanos(1_000_000);
      if (count.getAsLong() != known) {
        known = count.getAsLong();
        since = System.nanoTime();
      }
    }
    return known;
  }

  /** Waits until a condition holds. */
  static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + LONG.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("not within " + LONG + ": " + what);
      }
      LockSupport.parkNanos(10_000_000);
    }
  }

  Instant storeTime() {
    return foreign.read(tx -> tx.sql("select now()").one(resultRow -> resultRow.instant("now")));
  }

  /** The last statement of a session that has scanned. */
  String endOfScan() {
    return "%'due'%";
  }

  /** Waits until a full scan has ended that began after an instant of the store. */
  void awaitScan(Instant since) {
    String last =
        """
        select count(*) as n from pg_stat_activity
        where datname = current_database() and query like ? and state = 'idle'
          and application_name = 'convoke-durable' and query_start > ?
        """;
    await(
        "a scan",
        () ->
            foreign.read(
                    tx ->
                        tx.sql(last)
                            .with(endOfScan(), since)
                            .one(resultRow -> resultRow.longAt("n")))
                > 0);
  }

  /** Dispatchers that fetch one item each. */
  static List<Future<Optional<WorkItem>>> dispatchers(
      ExecutorService threads, PostgresProvider node, int count, Duration poll) {
    List<Future<Optional<WorkItem>>> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(threads.submit(() -> node.fetchWorkItem(LOCK, poll)));
    }
    return all;
  }

  static int found(List<Future<Optional<WorkItem>>> dispatchers) throws Exception {
    int found = 0;
    for (Future<Optional<WorkItem>> dispatcher : dispatchers) {
      found += dispatcher.get().isPresent() ? 1 : 0;
    }
    return found;
  }

  static void awaitIdle(PostgresProvider provider, int waiting) {
    long end = System.nanoTime() + LONG.toNanos();
    while (!(provider.announced() && provider.waitingForWork() >= waiting)) {
      if (System.nanoTime() > end) {
        throw new AssertionError("the node is not ready");
      }
      LockSupport.parkNanos(10_000_000);
    }
  }

  /** Waits until the node knows that its queue is empty, so that only an announcement wakes it. */
  static void awaitQuiet(PostgresProvider provider) throws InterruptedException {
    awaitIdle(provider, 0);
    long before = -1;
    while (before != provider.claims()) {
      before = provider.claims();
      assertThat(provider.fetchWorkItem(LOCK, Duration.ofMillis(100))).isEmpty();
    }
  }

  PostgresProvider provider(LongPollConfig config) {
    return keep(PostgresProvider.open(through(url), url, "durable", config));
  }

  <T extends AutoCloseable> T keep(T closeable) {
    opened.add(closeable);
    return closeable;
  }

  static PostgresListener.NotificationReceiver listening(TestSignal<String> heard) {
    return new PostgresListener.NotificationReceiver() {
      @Override
      public void notified(String payload) {
        heard.emit(payload);
      }

      @Override
      public void rescan() {
        heard.emit("rescan");
      }
    };
  }
}
