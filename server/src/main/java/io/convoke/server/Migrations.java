package io.convoke.server;

import io.convoke.engine.durable.postgres.DurableSchema;
import io.convoke.engine.sql.Database;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.callback.Callback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The database schema and its versions; several servers may apply them at once. */
public final class Migrations {
  /** Where statements look up their tables. */
  public static final List<String> SCHEMAS = List.of("convoke", "durable", "public");

  private static final Logger log = LoggerFactory.getLogger(Migrations.class);
  private static final Duration LOCKED_MAX = Duration.ofMinutes(2);
  private static final Duration LOCKED_PAUSE = Duration.ofMillis(500);
  private static final String LOCK_NOT_AVAILABLE = "55P03";

  private Migrations() {}

  /**
   * Applies what is pending and answers how many. A table that another transaction reads, such as
   * that of a dump, is waited for a second at a time: a longer wait for its lock would stop every
   * statement that comes after it.
   *
   * @throws FlywayException when a table stays locked for {@link #LOCKED_MAX}
   */
  public static int apply(Database database) {
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
        log.warn("a migration waits for a table that another transaction holds; trying again");
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
        throw new FlywayException("cannot bound the wait for locks", e);
      }
    }

    @Override
    public String getCallbackName() {
      return "lock_timeout";
    }
  }
}
