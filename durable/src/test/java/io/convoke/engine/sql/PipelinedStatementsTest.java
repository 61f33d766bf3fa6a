package io.convoke.engine.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.simulator.stores.LocalStores;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Statements that travel to Postgres in one packet. */
class PipelinedStatementsTest {
  private final DatabaseUrl url = DatabaseUrl.parse(LocalStores.forTests().freshDatabase());
  private final Database database = Database.open(url, 1, "test", List.of("public"));

  PipelinedStatementsTest() {
    database.run(tx -> tx.sql("create table counters (name text primary key, n int)").update());
    database.run(tx -> tx.sql("insert into counters values ('a', 0), ('b', 0)").update());
    database.run(tx -> tx.sql("create table events (n bigint)").update());
    database.run(
        tx ->
            tx.sql(
                    """
                    create function raise(state text) returns int language plpgsql as
                    $$begin raise exception using errcode = state; end$$
                    """)
                .update());
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void statementsThatTravelTogetherSeeEachOtherAndAreAnsweredInOrder() {
    String answer =
        database.transaction(
            tx -> {
              tx.run(
                  List.of(
                      tx.sql("update counters set n = n + ? where name = ?").with(1, "a"),
                      tx.sql("insert into counters select 'c', n + 1 from counters where name = ?")
                          .with("a")));
              return tx.queryTogether(
                  List.of(
                      tx.sql("select n from counters where name = any(?) order by name")
                          .with((Object) new String[] {"a", "c"}),
                      tx.sql("select name from counters where n > ?").with(99),
                      tx.sql("update counters set n = 7 where name = 'b' returning n")),
                  batchResults ->
                      batchResults.list(resultRow -> resultRow.intAt("n"))
                          + " "
                          + batchResults.first(resultRow -> resultRow.text("name"))
                          + " "
                          + batchResults.list(resultRow -> resultRow.intAt("n")));
            });
    assertThat(answer).isEqualTo("[1, 2] Optional.empty [7]");
    assertThat(number("select n from counters where name = 'b'")).isEqualTo(7);
  }

  @Test
  void oneThatFailsAmongStatementsThatTravelTogetherUndoesAll() {
    assertThatThrownBy(
            () ->
                database.run(
                    tx ->
                        tx.run(
                            List.of(
                                tx.sql("update counters set n = 1 where name = 'a'"),
                                tx.sql("update counters set n = 1 / 0 where name = 'b'")))))
        .isInstanceOf(SqlFailure.class);
    assertThat(number("select n from counters where name = 'a'")).isZero();
  }

  @Test
  void aCommitThatTravelsWithTheLastStatementsIsDoneWhenTheyAre() {
    List<String> told = new ArrayList<>();
    try (Database other = Database.open(url, 1, "other", List.of("public"))) {
      database.run(
          tx -> {
            tx.afterCommit(() -> told.add("told"));
            tx.commit(
                List.of(
                    tx.sql("update counters set n = 5 where name = 'a'"),
                    tx.sql("update counters set n = 6 where name = 'b'")));
            assertThat(
                    (int)
                        other.read(
                            fresh ->
                                fresh
                                    .sql("select sum(n)::int as n from counters")
                                    .one(resultRow -> resultRow.intAt("n"))))
                .isEqualTo(11);
          });
    }
    assertThat(told).containsExactly("told");
  }

  @Test
  void aRefusedStatementBeforeTheCommitUndoesAll() {
    assertThatThrownBy(
            () ->
                database.run(
                    tx -> {
                      int _ = tx.sql("update counters set n = 1 where name = 'b'").update();
                      tx.commit(
                          List.of(
                              tx.sql("update counters set n = 1 where name = 'a'"),
                              tx.sql("insert into counters values ('a', 0)")));
                    }))
        .isInstanceOf(SqlFailure.class);
    assertThat(number("select sum(n)::int as n from counters")).isZero();
  }

  @Test
  void nothingFollowsACommit() {
    assertThatThrownBy(
            () ->
                database.run(
                    tx -> {
                      tx.commit(List.of(tx.sql("update counters set n = 1 where name = 'a'")));
                      int _ = tx.sql("update counters set n = 2 where name = 'a'").update();
                    }))
        .isInstanceOf(IllegalStateException.class);
    assertThat(number("select n from counters where name = 'a'")).isEqualTo(1);
    assertThatThrownBy(
            () ->
                database.read(
                    tx -> {
                      tx.commit(List.of());
                      return 0;
                    }))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aConnectionThatBreaksUnderACommitIsToldAndTheWorkNotRunAgain() {
    AtomicInteger runs = new AtomicInteger();
    try (Database other = Database.open(url, 1, "other", List.of("public"))) {
      assertThatThrownBy(
              () ->
                  database.run(
                      tx -> {
                        int run = runs.incrementAndGet();
                        int pid = tx.sql("select pg_backend_pid() as pid").one(r -> r.intAt("pid"));
                        boolean _ =
                            other.read(
                                fresh ->
                                    fresh
                                        .sql("select pg_terminate_backend(?, 5000) as gone")
                                        .with(pid)
                                        .one(resultRow -> resultRow.booleanAt("gone")));
                        tx.commit(
                            List.of(
                                tx.sql("update counters set n = ? where name = 'a'").with(run)));
                      }))
          .isInstanceOf(StoreUnavailable.class);
    }
    assertThat(runs).hasValue(1);
    assertThat(number("select n from counters where name = 'a'")).isZero();
  }

  /** Callers may repeat what was rejected, but not what was committed. */
  @Test
  void whatFailsAfterTheCommitIsNoRejectionOfWhatWasCommitted() {
    AtomicInteger runs = new AtomicInteger();
    for (String afterwards : List.of("select 1 / 0", "select raise('40001')")) {
      runs.set(0);
      assertThatThrownBy(
              () ->
                  database.transaction(
                      tx -> {
                        int _ = runs.incrementAndGet();
                        return tx.commit(
                            List.of(
                                tx.sql(
                                    "update counters set n = n + 1 where name = 'a' returning n")),
                            tx.sql(afterwards),
                            batchResults -> batchResults.first(row -> row.intAt("n")));
                      }))
          .isInstanceOf(StoreUnavailable.class)
          .hasMessageContaining("outcome");
      assertThat(runs).hasValue(1);
    }
    assertThat(number("select n from counters where name = 'a'")).isEqualTo(2);
  }

  @Test
  void aRejectionBeforeTheCommitStaysOneAndIsRepeatedIfItMayBe() {
    AtomicInteger runs = new AtomicInteger();
    assertThatThrownBy(
            () ->
                database.transaction(
                    tx -> {
                      int run = runs.incrementAndGet();
                      return tx.commit(
                          List.of(tx.sql(run == 1 ? "select raise('40001')" : "select 1 / 0")),
                          tx.sql("select 1 as n"),
                          batchResults -> 1);
                    }))
        .isInstanceOf(SqlFailure.class)
        .hasMessageContaining("zero");
    assertThat(runs).hasValue(2);
  }

  /** The rows of a batch whose last statement, after the commit, failed. */
  @Test
  void aBatchThatFailedAfterItsCommitIsNotCommittedOneByOne() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger flushes = new AtomicInteger();
    GroupCommit<Integer, Integer> group =
        new GroupCommit<>(
            10,
            1,
            batch -> {
              if (flushes.incrementAndGet() == 1) {
                await(go);
                return batch;
              }
              return database.transaction(
                  tx ->
                      tx.commit(
                          List.of(
                              tx.sql("insert into events select unnest(?::bigint[]) returning n")
                                  .with(
                                      (Object)
                                          batch.stream().map(Long::valueOf).toArray(Long[]::new))),
                          tx.sql("select 1 / 0 as n"),
                          batchResults -> batchResults.list(row -> row.intAt("n"))));
            });
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> all = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        int event = i;
        all.add(callers.submit(() -> group.submit(event)));
        while (i == 0 && flushes.get() == 0) {
          LockSupport.parkNanos(10_000_000);
        }
      }
      while (group.waiting() < 4) {
        LockSupport.parkNanos(10_000_000);
      }
      go.countDown();
      assertThat(all.getFirst().get()).isZero();
      for (Future<Integer> one : all.subList(1, 5)) {
        assertThatThrownBy(one::get).hasCauseInstanceOf(StoreUnavailable.class);
      }
    }
    assertThat(number("select count(*)::int as n from events")).isEqualTo(4);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private int number(String sql) {
    return database.read(tx -> tx.sql(sql).one(resultRow -> resultRow.intAt("n")));
  }
}
