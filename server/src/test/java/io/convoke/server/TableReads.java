package io.convoke.server;

import io.convoke.engine.sql.Database;

/** How many rows of a table a test reads: without an index all of them. */
public final class TableReads {
  private TableReads() {}

  /**
   * Runs the work and counts the rows that it reads.
   *
   * @param database with one connection, because Postgres adds up what other sessions read later
   */
  public static long of(Database database, String table, Runnable work) {
    long before = total(database, table);
    work.run();
    return total(database, table) - before;
  }

  private static long total(Database database, String table) {
    database.run(
        tx -> {
          boolean _ =
              tx.sql("select pg_stat_force_next_flush() is null as done")
                  .one(resultRow -> resultRow.booleanAt("done"));
        });
    return database.read(
        tx ->
            tx.sql(
                    """
                    select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as n
                    from pg_stat_user_tables where relid = ?::regclass
                    """)
                .with(table)
                .one(resultRow -> resultRow.longAt("n")));
  }
}
