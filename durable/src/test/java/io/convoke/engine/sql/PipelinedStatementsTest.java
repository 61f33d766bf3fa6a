package io.convoke.engine.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.simulator.stores.LocalStores;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Statements that travel to Postgres in one packet. */
class PipelinedStatementsTest {
  private final DatabaseUrl url = DatabaseUrl.parse(LocalStores.forTests().freshDatabase());
  private final Database database = Database.open(url, 1, "test", List.of("public"));

  PipelinedStatementsTest() {
    database.run(tx -> tx.sql("create table counters (name text primary key, n int)").update());
    database.run(tx -> tx.sql("insert into counters values ('a', 0), ('b', 0)").update());
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

  private int number(String sql) {
    return database.read(tx -> tx.sql(sql).one(resultRow -> resultRow.intAt("n")));
  }
}
