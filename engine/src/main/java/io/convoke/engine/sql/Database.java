package io.convoke.engine.sql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way to Postgres: a fixed pool, bounded waiting, and transactions that are run again when
 * Postgres says so (serialization failure, deadlock). Opening does not connect: a server starts
 * while its database is still away.
 */
public final class Database implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Database.class);
  private static final int ATTEMPTS_MAX = 5;
  private static final Duration WAIT_MAX = Duration.ofSeconds(5);
  private static final Set<String> RETRYABLE = Set.of("40001", "40P01");

  private final HikariDataSource pool;

  private Database(HikariDataSource pool) {
    this.pool = pool;
  }

  /**
   * Opens a pool of {@code size} connections that name themselves {@code application} and look up
   * tables in {@code schemas}, first to last.
   */
  public static Database open(DatabaseUrl url, int size, String application, List<String> schemas) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url.jdbc());
    config.setUsername(url.user());
    config.setPassword(url.password());
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(Math.min(2, size));
    config.setConnectionTimeout(WAIT_MAX.toMillis());
    config.setInitializationFailTimeout(-1);
    config.setPoolName(application);
    config.addDataSourceProperty("ApplicationName", application);
    config.addDataSourceProperty("currentSchema", String.join(",", schemas));
    config.addDataSourceProperty("tcpKeepAlive", "true");
    // The details of a refusal repeat the row's values, which belong in no log.
    config.addDataSourceProperty("logServerErrorDetail", "false");
    config.addDataSourceProperty("connectTimeout", "3");
    config.addDataSourceProperty("socketTimeout", "60");
    config.addDataSourceProperty("reWriteBatchedInserts", "true");
    return new Database(new HikariDataSource(config));
  }

  /** The pool itself, for libraries that ask for one (migrations, metrics). */
  public DataSource dataSource() {
    return pool;
  }

  /** Runs single statements, each its own transaction. */
  public <T> T read(Work<T> work) {
    try (Connection connection = pool.getConnection()) {
      return work.run(new Tx(connection));
    } catch (SQLException e) {
      throw failure(e);
    }
  }

  /** Runs one transaction and answers what the work answered. */
  public <T> T transaction(Work<T> work) {
    for (int attempt = 1; ; attempt++) {
      try {
        return attempt(work);
      } catch (SqlFailure e) {
        if (attempt == ATTEMPTS_MAX || !RETRYABLE.contains(e.sqlState())) {
          throw e;
        }
        log.debug("transaction run again, attempt {}: {}", attempt, e.sqlState());
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(2_000_000L << attempt));
      }
    }
  }

  /** Runs one transaction that answers nothing. */
  public void run(VoidWork work) {
    Boolean done =
        transaction(
            tx -> {
              work.run(tx);
              return Boolean.TRUE;
            });
    assert done;
  }

  @Override
  public void close() {
    pool.close();
  }

  private <T> T attempt(Work<T> work) {
    Tx tx;
    T result;
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      tx = new Tx(connection);
      boolean committed = false;
      try {
        result = work.run(tx);
        connection.commit();
        committed = true;
      } finally {
        if (!committed) {
          rollback(connection);
        }
        connection.setAutoCommit(true);
      }
    } catch (SQLException e) {
      throw failure(e);
    }
    tx.committed();
    return result;
  }

  private static void rollback(Connection connection) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      log.debug("rollback failed, the connection is dropped", e);
    }
  }

  /** Sorts a driver's exception into out of reach (08, 57P, pool empty) and refused. */
  static RuntimeException failure(SQLException e) {
    String state = e.getSQLState() == null ? "" : e.getSQLState();
    boolean away =
        e instanceof SQLTransientConnectionException
            || state.startsWith("08")
            || state.startsWith("57P")
            || state.equals("53300");
    return away ? new StoreUnavailable(e) : new SqlFailure(e);
  }
}
