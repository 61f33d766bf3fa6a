package io.convoke.server;

import io.convoke.engine.durable.postgres.DurableSchema;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.callback.Callback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Applies the schema migrations; safe on several servers at once. */
public final class Migrations {
  /** The search path of statements. */
  public static final List<String> SCHEMAS = List.of("convoke", "durable", "public");

  private static final Logger log = LoggerFactory.getLogger(Migrations.class);
  private static final Duration LOCKED_MAX = Duration.ofMinutes(2);
  private static final Duration LOCKED_PAUSE = Duration.ofMillis(500);
  private static final String LOCK_NOT_AVAILABLE = "55P03";

  private Migrations() {}

  /**
   * Applies pending migrations; returns their number. The lock timeout is one second with retries,
   * because a longer wait for a table that another transaction reads, such as a dump, would block
   * all statements queued behind it.
   *
   * @throws FlywayException when a table stays locked for {@link #LOCKED_MAX}
   * @throws IllegalStateException when a newer release made the tables incompatible with this one
   */
  public static int apply(Database database) {
    checkCompatible(database);
    int applied = migrate(database);
    DurableSchema.install(database, "durable");
    return applied;
  }

  private static int migrate(Database database) {
    long end = System.nanoTime() + LOCKED_MAX.toNanos();
    while (true) {
      try {
        return flyway(database).migrate().migrationsExecuted;
      } catch (FlywayException e) {
        if (!isLockTimeout(e) || System.nanoTime() > end) {
          throw e;
        }
        log.warn("Migration blocked by a lock of another transaction; retrying");
        LockSupport.parkNanos(LOCKED_PAUSE.toNanos());
      }
    }
  }

  private static boolean isLockTimeout(Throwable fault) {
    for (Throwable each = fault; each != null; each = each.getCause()) {
      if (each instanceof SQLException sql && LOCK_NOT_AVAILABLE.equals(sql.getSQLState())) {
        return true;
      }
    }
    return false;
  }

  /** How many migrations are to be applied, those of the durable engine counted as one. */
  public static int pending(Database database) {
    return flyway(database).info().pending().length
        + (DurableSchema.isCurrent(database, "durable") ? 0 : 1);
  }

  /**
   * Compares the tables with this release, which may be older than they are.
   *
   * @throws IllegalStateException when a newer release made them incompatible with this one
   */
  public static void checkCompatible(Database database) {
    int own =
        Arrays.stream(flyway(database).info().all())
            .filter(migration -> migration.isVersioned() && migration.getState().isResolved())
            .mapToInt(migration -> Integer.parseInt(migration.getVersion().getVersion()))
            .max()
            .orElseThrow();
    int needed = database.read(Migrations::compatibleFrom);
    if (needed > own) {
      throw new IllegalStateException(
          "the tables need a release with migration %d; this one has those up to %d"
              .formatted(needed, own));
    }
  }

  private static int compatibleFrom(Tx tx) {
    boolean known =
        tx.sql("select to_regclass('convoke.schema_compatibility') is not null as known")
            .one(row -> row.booleanAt("known"));
    return known
        ? tx.sql("select compatible_from from convoke.schema_compatibility")
            .one(row -> row.intAt("compatible_from"))
        : 0;
  }

  private static Flyway flyway(Database database) {
    return Flyway.configure()
        .dataSource(database.dataSource())
        .schemas("convoke", "durable")
        .defaultSchema("convoke")
        .locations("classpath:db/migration")
        // V002 created the engine's tables before the engine had its own migrations.
        // Migrations of newer releases are ignored, so that this one can be rolled back to.
        .ignoreMigrationPatterns("versioned:missing", "*:future")
        .callbacks(new LockTimeout())
        .load();
  }

  /** Bounds the wait for locks within each migration's own transaction. */
  private static final class LockTimeout implements Callback {
    @Override
    public boolean supports(Event event, Context context) {
      return event == Event.BEFORE_EACH_MIGRATE;
    }

    @Override
    public boolean canHandleInTransaction(Event event, Context context) {
      return true;
    }

    @Override
    public void handle(Event event, Context context) {
      try (Statement statement = context.getConnection().createStatement()) {
        boolean _ = statement.execute("set local lock_timeout = '1s'");
      } catch (SQLException e) {
        throw new FlywayException("Cannot set lock_timeout", e);
      }
    }

    @Override
    public String getCallbackName() {
      return "lock_timeout";
    }
  }
}
