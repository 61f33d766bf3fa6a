package io.convoke.server;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.server.config.InvalidConfigException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits for Postgres at the start of a server, and migrates or checks its schema. */
final class SchemaAtStart {
  private static final Logger log = LoggerFactory.getLogger(SchemaAtStart.class);
  private static final Duration STORE_RETRY = Duration.ofSeconds(1);

  private SchemaAtStart() {}

  /** Returns when Postgres answers. */
  static void awaitPostgres(Database database) {
    retrying(
        () -> {
          int _ =
              database.read(
                  tx -> tx.sql("select 1 as alive").one(resultRow -> resultRow.intAt("alive")));
        });
  }

  /**
   * Applies pending migrations, or only checks that there are none.
   *
   * @throws InvalidConfigException if migrations are pending and may not be applied
   */
  static void bringUpToDate(DatabaseUrl url, boolean apply) {
    retrying(
        () -> {
          try (Database database = Migrations.open(url)) {
            if (apply) {
              int applied = Migrations.apply(database);
              log.info("Schema is up to date; {} migrations applied", applied);
            } else {
              requireCurrent(database);
            }
          }
        });
  }

  private static void retrying(Runnable work) {
    while (true) {
      try {
        work.run();
        return;
      } catch (StoreUnavailable e) {
        log.warn("Waiting for Postgres: {}", reason(e));
        LockSupport.parkNanos(STORE_RETRY.toNanos());
      }
    }
  }

  /** What Postgres or the network said, such as a wrong password. */
  private static String reason(StoreUnavailable failure) {
    return String.valueOf((failure.getCause() == null ? failure : failure.getCause()).getMessage());
  }

  private static void requireCurrent(Database database) {
    Migrations.checkCompatible(database);
    int pending = Migrations.pending(database);
    if (pending > 0) {
      throw new InvalidConfigException(
          List.of(
              pending
                  + " migrations are pending: run convoke migrate, or serve without"
                  + " --no-migrate"));
    }
  }
}
