package io.convoke.chaos;

import io.convoke.simulator.stores.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** Reads the servers' rows also while faults of Postgres break its connection. Thread-safe. */
public final class LastingConnection implements AutoCloseable {
  private static final Duration AWAY_MAX = Duration.ofSeconds(60);
  private static final Duration LOOK_EVERY = Duration.ofMillis(100);
  private static final int VALID_SECONDS = 1;

  private final EmbeddedPostgres postgres;
  private final String database;
  private Optional<Connection> connection = Optional.empty();

  public LastingConnection(EmbeddedPostgres postgres, String database) {
    this.postgres = postgres;
    this.database = database;
  }

  /** A connection that works now; waits for one. */
  public synchronized Connection open() throws SQLException {
    long end = System.nanoTime() + AWAY_MAX.toNanos();
    while (true) {
      try {
        if (connection.isPresent() && connection.get().isValid(VALID_SECONDS)) {
          return connection.get();
        }
        connection = Optional.of(postgres.connect(database));
      } catch (SQLException away) {
        awaitNext(away, end);
      }
    }
  }

  /** All rows of a query without parameters, which is asked again if the connection breaks. */
  public synchronized <T> List<T> list(String sql, SqlReader.SqlRowReader<T> reader)
      throws SQLException {
    long end = System.nanoTime() + AWAY_MAX.toNanos();
    while (true) {
      try {
        return SqlReader.list(open(), sql, reader);
      } catch (SQLException broken) {
        if (connection.isPresent() && connection.get().isValid(VALID_SECONDS)) {
          throw broken;
        }
        awaitNext(broken, end);
      }
    }
  }

  @Override
  public synchronized void close() throws SQLException {
    if (connection.isPresent()) {
      connection.get().close();
    }
  }

  private static void awaitNext(SQLException cause, long end) throws SQLException {
    if (System.nanoTime() - end > 0) {
      throw cause;
    }
    LockSupport.parkNanos(LOOK_EVERY.toNanos());
  }
}
