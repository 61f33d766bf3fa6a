package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.PostgresTaskStore;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.simulator.stores.LocalStores;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The library's ledger works on the tables that the migrations make. */
class LedgerTableTest {
  private static final String COLUMNS =
      """
      select column_name || ' ' || data_type || ' ' || is_nullable || ' '
        || coalesce(column_default, '') as line
      from information_schema.columns where table_schema = ? and table_name in ('tasks', 'dispatch_generations')
      """;

  private static final String CHECKS =
      """
      select pg_get_constraintdef(oid) as line from pg_constraint
      where connamespace = ?::regnamespace and contype <> 'n'
        and conrelid::regclass::text ~ '(^|[.])(tasks|dispatch_generations)$'
      """;

  private static final String INDEXES =
      """
      select replace(indexdef, schemaname || '.', '') as line from pg_indexes
      where schemaname = ? and tablename in ('tasks', 'dispatch_generations')
      """;

  @Test
  void theMigrationsMakeTheTablesThatTheLibraryDocuments() throws Exception {
    try (Database database =
        Database.open(
            DatabaseUrl.parse(LocalStores.forTests().freshDatabase()),
            2,
            "test",
            Migrations.SCHEMAS)) {
      int _ = Migrations.apply(database);
      String ours =
          database.read(
              tx ->
                  tx.sql("select schemaname as s from pg_tables where tablename = 'tasks'")
                      .one(resultRow -> resultRow.text("s")));
      String ddl = documented();
      database.run(
          tx -> {
            int _ = tx.sql("create schema documented").update();
            int _ = tx.sql("set local search_path = documented").update();
            int _ = tx.sql(ddl).update();
          });
      for (String what : List.of(COLUMNS, CHECKS)) {
        assertThat(lines(database, what, ours))
            .containsExactlyInAnyOrderElementsOf(lines(database, what, "documented"));
      }
      assertThat(lines(database, INDEXES, ours))
          .containsAll(lines(database, INDEXES, "documented"));
    }
  }

  private static List<String> lines(Database database, String sql, String schema) {
    List<String> lines =
        database.read(tx -> tx.sql(sql).with(schema).list(resultRow -> resultRow.text("line")));
    assertThat(lines).isNotEmpty();
    return lines;
  }

  private static String documented() throws Exception {
    try (InputStream file = PostgresTaskStore.class.getResourceAsStream("tasks.sql")) {
      assertThat(file).isNotNull();
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
