package io.convoke.engine.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.convoke.simulator.stores.EmbeddedPostgres;
import io.convoke.simulator.stores.LocalStores;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class DatabaseTest {
  private static final List<String> SCHEMAS = List.of("public");

  private final String url = LocalStores.forTests().freshDatabase();
  private Database database;

  @BeforeEach
  void open() {
    database = Database.open(DatabaseUrl.parse(url), 4, "test", SCHEMAS);
    database.run(tx -> tx.sql("create table counters (name text primary key, n int)").update());
    database.run(tx -> tx.sql("insert into counters values ('a', 0), ('b', 0)").update());
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void aTransactionThatFailsChangesNothing() {
    assertThatThrownBy(
            () ->
                database.run(
                    tx -> {
                      set(tx, "a", 1);
                      throw new IllegalStateException("on the way");
                    }))
        .hasMessage("on the way");
    assertThat(value("a")).isZero();
    assertThat(database.<Boolean>read(tx -> autoCommits(tx))).isTrue();
  }

  /** However it commits; and a transaction that fails takes them along. */
  @Test
  void theStatementsOfAHookAreInEachTransaction() {
    database.beforeEachCommit(
        tx -> List.of(tx.sql("update counters set n = n + 1 where name = 'b'")));
    database.run(tx -> set(tx, "a", 1));
    assertThat(value("b")).isEqualTo(1);
    database.run(tx -> tx.commit(List.of(tx.sql("update counters set n = 2 where name = 'a'"))));
    assertThat(value("a")).isEqualTo(2);
    assertThat(value("b")).isEqualTo(2);
    assertThatThrownBy(
            () ->
                database.run(
                    tx -> {
                      throw new IllegalStateException("on the way");
                    }))
        .hasMessage("on the way");
    int _ = database.read(tx -> tx.sql("update counters set n = 3 where name = 'a'").update());
    assertThat(value("b")).isEqualTo(2);

    database.beforeEachCommit(
        tx -> List.of(tx.sql("update counters set n = n + 10 where name = 'b'")));
    database.run(tx -> set(tx, "a", 3));
    assertThat(value("b")).as("of both hooks").isEqualTo(13);

    database.beforeEachCommit(tx -> List.of(tx.sql("insert into nowhere values (1)")));
    assertThatThrownBy(() -> database.run(tx -> set(tx, "a", 4))).isInstanceOf(SqlFailure.class);
    assertThat(value("a")).isEqualTo(3);
  }

  @Test
  void aTransactionThatPostgresWantsAgainIsRunAgain() {
    AtomicInteger attempts = new AtomicInteger();
    List<Integer> afterCommit = new ArrayList<>();
    int seen =
        database.transaction(
            tx -> {
              int attempt = attempts.incrementAndGet();
              tx.sql("set transaction isolation level repeatable read").update();
              int before = read(tx, "a");
              if (attempt == 1) {
                elsewhere(() -> database.run(other -> set(other, "a", 10)));
              }
              tx.afterCommit(() -> afterCommit.add(attempt));
              set(tx, "a", before + 1);
              return before;
            });
    assertThat(attempts).hasValue(2);
    assertThat(seen).isEqualTo(10);
    assertThat(value("a")).isEqualTo(11);
    assertThat(afterCommit).containsExactly(2);
  }

  @Test
  void aTransactionWhoseConnectionBrokeBeforeTheCommitIsRunOnceMore() {
    AtomicInteger attempts = new AtomicInteger();
    database.run(
        tx -> {
          set(tx, "a", read(tx, "a") + 1);
          if (attempts.incrementAndGet() == 1) {
            int pid =
                tx.sql("select pg_backend_pid() as pid").one(resultRow -> resultRow.intAt("pid"));
            assertThat(elsewhere(() -> terminate(pid))).isNull();
          }
          set(tx, "b", 1);
        });
    assertThat(attempts).hasValue(2);
    assertThat(value("a")).isEqualTo(1);
    assertThat(value("b")).isEqualTo(1);
  }

  @Test
  void aConnectionThatKeepsBreakingIsTold() {
    AtomicInteger attempts = new AtomicInteger();
    assertThatThrownBy(
            () ->
                database.run(
                    tx -> {
                      int _ = attempts.incrementAndGet();
                      int pid =
                          tx.sql("select pg_backend_pid() as pid")
                              .one(resultRow -> resultRow.intAt("pid"));
                      assertThat(elsewhere(() -> terminate(pid))).isNull();
                      set(tx, "a", 9);
                    }))
        .isInstanceOf(StoreUnavailable.class);
    assertThat(attempts).hasValue(2);
    assertThat(value("a")).isZero();
  }

  private void terminate(int pid) {
    boolean gone =
        database.read(
            tx ->
                tx.sql("select pg_terminate_backend(?, 5000) as gone")
                    .with(pid)
                    .one(resultRow -> resultRow.booleanAt("gone")));
    assertThat(gone).isTrue();
  }

  @Test
  void aDeadlockIsRunAgainAndBothTransactionsHappen() {
    CountDownLatch bothHoldOne = new CountDownLatch(2);
    CompletableFuture<Void> first = increment("a", "b", bothHoldOne);
    CompletableFuture<Void> second = increment("b", "a", bothHoldOne);
    CompletableFuture.allOf(first, second).orTimeout(20, TimeUnit.SECONDS).join();
    assertThat(value("a")).isEqualTo(2);
    assertThat(value("b")).isEqualTo(2);
  }

  @Test
  void aTransactionThatNeverFitsIsGivenUpAfterFiveAttempts() {
    AtomicInteger attempts = new AtomicInteger();
    assertThatThrownBy(
            () ->
                database.run(
                    tx -> {
                      int _ = attempts.incrementAndGet();
                      raise(tx, "40001");
                    }))
        .isInstanceOfSatisfying(
            SqlFailure.class, refused -> assertThat(refused.sqlState()).isEqualTo("40001"));
    assertThat(attempts).hasValue(5);
  }

  @Test
  void aRefusalNamesItsStateAndIsNotTriedAgain() {
    AtomicInteger attempts = new AtomicInteger();
    assertThatThrownBy(
            () ->
                database.run(
                    tx -> {
                      int _ = attempts.incrementAndGet();
                      tx.sql("insert into counters values ('a', 7)").update();
                    }))
        .isInstanceOfSatisfying(
            SqlFailure.class,
            refused -> assertThat(refused.is(SqlFailure.UNIQUE_VIOLATION)).isTrue());
    assertThat(attempts).hasValue(1);
  }

  @Test
  void whatWaitsForTheCommitRunsAfterItAndSeesIt() {
    List<Integer> seen = new ArrayList<>();
    database.run(
        tx -> {
          tx.afterCommit(() -> seen.add(value("a")));
          set(tx, "a", 3);
          assertThat(value("a")).isZero();
        });
    assertThat(seen).containsExactly(3);
  }

  @Test
  void whatWaitsForTheCommitNeverRunsAfterARollback() {
    List<String> ran = new ArrayList<>();
    assertThatThrownBy(
        () ->
            database.run(
                tx -> {
                  tx.afterCommit(() -> ran.add("after"));
                  raise(tx, "23505");
                }));
    assertThat(ran).isEmpty();
  }

  @Test
  void aFailureAfterTheCommitDoesNotDenyIt() {
    List<String> ran = new ArrayList<>();
    database.run(
        tx -> {
          set(tx, "a", 4);
          tx.afterCommit(
              () -> {
                throw new IllegalStateException("too late to matter");
              });
          tx.afterCommit(() -> ran.add("the next one"));
        });
    assertThat(value("a")).isEqualTo(4);
    assertThat(ran).containsExactly("the next one");
  }

  @Test
  void singleStatementsHaveNoCommitToWaitFor() {
    assertThatThrownBy(
            () ->
                database.read(
                    tx -> {
                      tx.afterCommit(() -> {});
                      return 1;
                    }))
        .isInstanceOf(IllegalStateException.class);
  }

  @Tag("nightly")
  @Test
  void anEmptyPoolIsTheStoreOutOfReach() {
    try (Database small = Database.open(DatabaseUrl.parse(url), 1, "small", SCHEMAS)) {
      Throwable refused =
          small.transaction(
              tx -> {
                int _ = read(tx, "a");
                return elsewhere(() -> small.run(other -> set(other, "a", 1)));
              });
      assertThat(refused).isInstanceOf(StoreUnavailable.class);
    }
  }

  @Test
  void anInterruptedCallerIsToldAndStaysInterrupted() {
    try (Database small = Database.open(DatabaseUrl.parse(url), 1, "small", SCHEMAS)) {
      boolean told =
          small.transaction(
              tx -> {
                Thread.currentThread().interrupt();
                Throwable refused = catchThrowable(() -> small.run(other -> set(other, "a", 1)));
                return Thread.interrupted() && refused instanceof StoreUnavailable;
              });
      assertThat(told).isTrue();
    }
  }

  @Test
  void statementsAndIdleTransactionsAreBounded() {
    assertThat(setting(database, "statement_timeout")).isEqualTo("30s");
    assertThat(setting(database, "idle_in_transaction_session_timeout")).isEqualTo("10s");
  }

  /** The client waits for longer than Postgres lets a statement run, unless the URL says less. */
  @Test
  void theSilenceOfAStatementIsBounded() throws SQLException {
    String hasty = url + "?socketTimeout=7";
    try (Database own = Database.open(DatabaseUrl.parse(hasty), 1, "hasty", SCHEMAS);
        Connection usual = database.dataSource().getConnection();
        Connection shorter = own.dataSource().getConnection()) {
      assertThat(usual.getNetworkTimeout()).isEqualTo(60_000);
      assertThat(shorter.getNetworkTimeout()).isEqualTo(7_000);
    }
  }

  @Test
  void aTransactionThatPostgresEndedWhileItHungIsRunOnceMore() {
    String hasty = url + "?options=-c%20idle_in_transaction_session_timeout=50";
    AtomicInteger attempts = new AtomicInteger();
    try (Database hanging = Database.open(DatabaseUrl.parse(hasty), 1, "hanging", SCHEMAS)) {
      hanging.run(
          tx -> {
            int pid =
                tx.sql("select pg_backend_pid() as pid").one(resultRow -> resultRow.intAt("pid"));
            set(tx, "a", attempts.incrementAndGet());
            if (attempts.get() == 1) {
              awaitGone(pid);
            }
            set(tx, "b", read(tx, "a"));
          });
    }
    assertThat(attempts).hasValue(2);
    assertThat(value("b")).isEqualTo(2);
  }

  private void awaitGone(int pid) {
    while (database.<Boolean>read(
        tx ->
            tx.sql("select 1 from pg_stat_activity where pid = ?")
                .with(pid)
                .first(resultRow -> true)
                .isPresent())) {
      LockSupport.parkNanos(10_000_000);
    }
  }

  @Test
  void aStatementBeyondItsBoundIsCancelled() {
    String bounded = url + "?options=-c%20statement_timeout=50";
    try (Database hasty = Database.open(DatabaseUrl.parse(bounded), 1, "hasty", SCHEMAS)) {
      assertThatThrownBy(
              () -> hasty.run(tx -> tx.sql("select pg_sleep(30)").one(resultRow -> resultRow)))
          .isInstanceOfSatisfying(
              SqlFailure.class, refused -> assertThat(refused.sqlState()).isEqualTo("57014"));
    }
  }

  @Tag("nightly")
  @Test
  void opensWhileTheStoreIsAwayAndServesWhenItComes() {
    try (EmbeddedPostgres embeddedPostgres = LocalStores.forTests().ownPostgres()) {
      embeddedPostgres.stop();
      try (Database own = own(embeddedPostgres)) {
        assertThatThrownBy(() -> own.<Boolean>read(DatabaseTest::autoCommits))
            .isInstanceOf(StoreUnavailable.class)
            .hasMessageNotContaining("password");
        embeddedPostgres.restart();
        long back = System.nanoTime();
        assertThat(own.<Boolean>read(DatabaseTest::autoCommits)).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - back)).isLessThan(Duration.ofSeconds(2));

        // A crash in the middle of a transaction: nothing of it stays, the caller is told.
        own.run(tx -> tx.sql("create table kept (n int)").update());
        int _ = own.read(tx -> tx.sql("checkpoint").update());
        assertThatThrownBy(
                () ->
                    own.run(
                        tx -> {
                          tx.sql("insert into kept values (1)").update();
                          embeddedPostgres.kill();
                          tx.sql("insert into kept values (2)").update();
                        }))
            .isInstanceOf(StoreUnavailable.class);
        embeddedPostgres.restart();
        int rows =
            own.read(
                tx ->
                    tx.sql("select count(*) as n from kept")
                        .one(resultRow -> resultRow.intAt("n")));
        assertThat(rows).isZero();
      }
    }
  }

  /** While Postgres restarts, it may accept a connection and end it before the first statement. */
  @Test
  void aFirstConnectionThatBreaksAtOnceDoesNotSpoilThePool() {
    FirstConnectionBreaks source = new FirstConnectionBreaks(DatabaseUrl.parse(url));
    try (Database own = Database.open(new ApplicationDataSource(source), 2, "own", Map.of())) {
      assertThat(own.<Boolean>read(DatabaseTest::autoCommits)).isTrue();
      assertThat(source.opened).hasValueGreaterThan(1);
    }
  }

  /** Its first connection ends when the pool tests it. */
  private static final class FirstConnectionBreaks extends PGSimpleDataSource {
    private final transient AtomicInteger opened = new AtomicInteger();

    private FirstConnectionBreaks(DatabaseUrl url) {
      setUrl(url.jdbc());
      setUser(url.user());
      setPassword(url.password());
    }

    @Override
    public Connection getConnection() throws SQLException {
      Connection connection = super.getConnection();
      return opened.getAndIncrement() == 0 ? brokenOnceTested(connection) : connection;
    }

    private static Connection brokenOnceTested(Connection connection) {
      return (Connection)
          Proxy.newProxyInstance(
              DatabaseTest.class.getClassLoader(),
              new Class<?>[] {Connection.class},
              (proxy, method, arguments) -> {
                if (method.getName().equals("isValid")) {
                  connection.abort(Runnable::run);
                }
                try {
                  return method.invoke(connection, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
    }
  }

  private static Database own(EmbeddedPostgres embeddedPostgres) {
    return Database.open(DatabaseUrl.parse(embeddedPostgres.url("postgres")), 2, "own", SCHEMAS);
  }

  private CompletableFuture<Void> increment(String one, String two, CountDownLatch bothHoldOne) {
    return CompletableFuture.runAsync(
        () ->
            database.run(
                tx -> {
                  addOne(tx, one);
                  bothHoldOne.countDown();
                  await(bothHoldOne);
                  addOne(tx, two);
                }),
        Thread::startVirtualThread);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Runs in another thread to its end and answers what it threw. */
  private static Throwable elsewhere(Runnable action) {
    return CompletableFuture.supplyAsync(
            () -> catchThrowable(action::run), Thread::startVirtualThread)
        .join();
  }

  private static void raise(Tx tx, String state) {
    tx.sql("do $$ begin raise exception using errcode = '" + state + "'; end $$").update();
  }

  private static String setting(Database database, String name) {
    return database.read(
        tx -> tx.sql("select current_setting(?) as value").with(name).one(r -> r.text("value")));
  }

  private static boolean autoCommits(Tx tx) {
    long first = transactionOf(tx);
    return first != transactionOf(tx);
  }

  private static long transactionOf(Tx tx) {
    return tx.sql("select pg_current_xact_id()::text::bigint as id")
        .one(resultRow -> resultRow.longAt("id"));
  }

  private int value(String name) {
    return database.read(tx -> read(tx, name));
  }

  private static int read(Tx tx, String name) {
    return tx.sql("select n from counters where name = ?")
        .with(name)
        .one(resultRow -> resultRow.intAt("n"));
  }

  /**
   * Adds one in a single statement: a value read before would be old once the row's lock is had.
   */
  private static void addOne(Tx tx, String name) {
    int _ = tx.sql("update counters set n = n + 1 where name = ?").with(name).update();
  }

  private static void set(Tx tx, String name, int n) {
    int _ = tx.sql("update counters set n = ? where name = ?").with(n, name).update();
  }
}
