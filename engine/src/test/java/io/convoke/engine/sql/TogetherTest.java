package io.convoke.engine.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.lab.stores.Stores;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Statements that travel to Postgres in one packet. */
class TogetherTest {
  private final Database database =
      Database.open(
          DatabaseUrl.parse(Stores.forTests().freshDatabase()), 1, "test", List.of("public"));

  TogetherTest() {
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
              return tx.ask(
                  List.of(
                      tx.sql("select n from counters where name = any(?) order by name")
                          .with((Object) new String[] {"a", "c"}),
                      tx.sql("select name from counters where n > ?").with(99),
                      tx.sql("update counters set n = 7 where name = 'b' returning n")),
                  answers ->
                      answers.list(row -> row.intAt("n"))
                          + " "
                          + answers.first(row -> row.text("name"))
                          + " "
                          + answers.list(row -> row.intAt("n")));
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

  private int number(String sql) {
    return database.read(tx -> tx.sql(sql).one(row -> row.intAt("n")));
  }
}
