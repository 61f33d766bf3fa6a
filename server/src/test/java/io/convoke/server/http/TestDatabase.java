package io.convoke.server.http;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.Migrations;

/** Real databases with our schema, one per test that asks. */
public final class TestDatabase {
  private TestDatabase() {}

  /** A pool on a database with all migrations applied. */
  public static Database fresh() {
    return Database.open(DatabaseUrl.parse(MigratedDatabase.url()), 4, "test", Migrations.SCHEMAS);
  }
}
