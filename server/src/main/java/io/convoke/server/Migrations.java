package io.convoke.server;

import io.convoke.engine.durable.postgres.DurableSchema;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.Tx;
import io.convoke.server.config.InvalidConfigException;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
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
  private static final String DURABLE = "durable";
  private static final String LOCATION = "classpath:db/migration";

  private Migrations() {}

  /**
   * Opens a database for migrations and imports. The driver waits for an answer without a bound,
   * unless the URL has a {@code socketTimeout}: a statement that builds an index is silent until it
   * is done. That the server is gone is then found by TCP.
   */
  public static Database open(DatabaseUrl url) {
    String jdbc = url.jdbc();
    String unbounded =
        jdbc.contains("socketTimeout=")
            ? jdbc
            : jdbc + (jdbc.contains("?") ? "&" : "?") + "socketTimeout=0";
    return Database.open(
        new DatabaseUrl(unbounded, url.user(), url.password(), url.transactionPooled()),
        2,
        "convoke-migrate",
        SCHEMAS);
  }

  /**
   * Applies pending migrations; returns their number, those of the durable engine counted as one.
   * The lock timeout is one second with retries, because a longer wait for a table that another
   * transaction reads, such as a dump, would block all statements queued behind it. What holds its
   * locks may take any time, as the build of an index does.
   *
   * @throws FlywayException when a table stays locked for {@link #LOCKED_MAX}
   * @throws IllegalStateException when a newer release made the tables incompatible with this one
   */
  public static int apply(Database database) {
    checkCompatible(database);
    int applied = migrate(database);
    int durable = DurableSchema.isCurrent(database, DURABLE) ? 0 : 1;
    DurableSchema.install(database, DURABLE);
    return applied + durable;
  }

  private static int migrate(Database database) {
    long end = System.nanoTime() + LOCKED_MAX.toNanos();
    while (true) {
      try {
        return flyway(database, LOCATION).migrate().migrationsExecuted;
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
    return flyway(database, LOCATION).info().pending().length
        + (DurableSchema.isCurrent(database, DURABLE) ? 0 : 1);
  }

  /**
   * Compares the tables with this release, which may be older than they are.
   *
   * @throws IllegalStateException when a newer release made them incompatible with this one
   */
  public static void checkCompatible(Database database) {
    incompatibility(database)
        .ifPresent(
            why -> {
              throw new IllegalStateException(why);
            });
  }

  /**
   * Refuses a database in which no migration was ever applied, for commands that only read and
   * change rows.
   *
   * @throws InvalidConfigException if it is one
   */
  public static void requireTables(Database database) {
    boolean there =
        database.read(
            tx ->
                tx.sql("select to_regclass('convoke.schema_compatibility') is not null as there")
                    .one(row -> row.booleanAt("there")));
    if (!there) {
      throw new InvalidConfigException(
          List.of("the database has no tables of Convoke: run convoke migrate first"));
    }
  }

  /** Why this release, which may be older than the tables, cannot use them; empty if it can. */
  public static Optional<String> incompatibility(Database database) {
    int own =
        Arrays.stream(flyway(database, LOCATION).info().all())
            .filter(migration -> migration.isVersioned() && migration.getState().isResolved())
            .mapToInt(migration -> Integer.parseInt(migration.getVersion().getVersion()))
            .max()
            .orElseThrow();
    int needed = database.read(Migrations::compatibleFrom);
    return needed > own
        ? Optional.of(
            "the tables need a release with migration %d; this one has those up to %d"
                .formatted(needed, own))
        : Optional.empty();
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

  /**
   * @param location of the migrations
   */
  static Flyway flyway(Database database, String location) {
    return Flyway.configure()
        .dataSource(database.dataSource())
        .schemas("convoke", "durable")
        .defaultSchema("convoke")
        .locations(location)
        // V002 created the engine's tables before the engine had its own migrations.
        // Migrations of newer releases are ignored, so that this one can be rolled back to.
        .ignoreMigrationPatterns("versioned:missing", "*:future")
        .callbacks(new MigrationTimeouts())
        // Another server waits for that lock until this one is done.
        .lockRetryCount(-1)
        .load();
  }

  /**
   * Bounds the wait for locks within each migration's own transaction, and nothing else there.
   * Flyway holds its lock in a transaction of another session, which is idle meanwhile.
   */
  private static final class MigrationTimeouts implements Callback {
    @Override
    public boolean supports(Event event, Context context) {
      return event == Event.AFTER_CONNECT || event == Event.BEFORE_EACH_MIGRATE;
    }

    @Override
    public boolean canHandleInTransaction(Event event, Context context) {
      return true;
    }

    @Override
    public void handle(Event event, Context context) {
      try (Statement statement = context.getConnection().createStatement()) {
        if (event == Event.AFTER_CONNECT) {
          boolean _ = statement.execute("set idle_in_transaction_session_timeout = 0");
        } else {
          boolean _ = statement.execute("set local lock_timeout = '1s'");
          boolean _ = statement.execute("set local statement_timeout = 0");
        }
      } catch (SQLException e) {
        throw new FlywayException("Cannot set the timeouts of a migration", e);
      }
    }

    @Override
    public String getCallbackName() {
      return "timeouts";
    }
  }
}
