package io.convoke.server;

import io.convoke.engine.durable.postgres.DurableSchema;
import io.convoke.engine.sql.Database;
import java.util.List;
import org.flywaydb.core.Flyway;

/** The database schema and its versions; several servers may apply them at once. */
public final class Migrations {
  /** Where statements look up their tables. */
  public static final List<String> SCHEMAS = List.of("convoke", "durable", "public");

  private Migrations() {}

  /** Applies what is pending and answers how many. */
  public static int apply(Database database) {
    int applied = flyway(database).migrate().migrationsExecuted;
    DurableSchema.install(database, "durable");
    return applied;
  }

  public static int pending(Database database) {
    return flyway(database).info().pending().length;
  }

  private static Flyway flyway(Database database) {
    return Flyway.configure()
        .dataSource(database.dataSource())
        .schemas("convoke", "durable")
        .defaultSchema("convoke")
        .locations("classpath:db/migration")
        // V002 made the engine's tables before the engine itself did.
        .ignoreMigrationPatterns("versioned:missing")
        .load();
  }
}
