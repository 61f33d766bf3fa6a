package io.convoke.engine.sql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Postgres client: a fixed pool, bounded waiting, and transactions that are run again when
 * Postgres says so (serialization failure, deadlock). Opening does not connect: a server starts
 * while its database is still away.
 *
 * <p>Bounds: five seconds for a connection, {@value #STATEMENT_BOUND} for a statement, {@value
 * #IDLE_BOUND} for a transaction that does nothing; Postgres enforces the last two. The last one
 * protects other nodes: a process that hangs within a transaction keeps its row locks from its
 * successor, and journal readers cannot pass its events. An {@code options} parameter in the URL
 * replaces both.
 */
public final class Database implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Database.class);
  private static final int ATTEMPTS_MAX = 5;
  private static final Duration WAIT_MAX = Duration.ofSeconds(5);
  private static final String STATEMENT_BOUND = "30s";
  private static final String IDLE_BOUND = "10s";

  /**
   * The classes of a connection that broke (08), of a server that stops (57P) and of one that lacks
   * memory, disk or connections (53).
   */
  private static final List<String> AWAY_CLASSES = List.of("08", "57P", "53");

  /**
   * This server writes nothing now: it is a replica by now, or was told to be read-only. Another
   * may be the primary.
   */
  private static final String READ_ONLY = "25006";

  /** A transaction that did nothing for too long lost its connection; the disk fails. */
  private static final Set<String> AWAY = Set.of(READ_ONLY, "25P03", "58030");

  /** A server that stays read-only is not connected to for every statement that it refuses. */
  private static final Duration BETWEEN_TURNS = Duration.ofSeconds(1);

  private static final Set<String> RETRYABLE = Set.of("40001", "40P01");

  private final RetryingDataSource source;
  private final HikariDataSource pool;
  private final LongAdder turns = new LongAdder();
  private final AtomicLong turnedAt = new AtomicLong(System.nanoTime() - BETWEEN_TURNS.toNanos());

  private Database(RetryingDataSource source, HikariDataSource pool) {
    this.source = source;
    this.pool = pool;
  }

  /**
   * Opens a pool of {@code size} connections that name themselves {@code application} and look up
   * tables in {@code schemas}, first to last.
   */
  public static Database open(DatabaseUrl url, int size, String application, List<String> schemas) {
    return open(url, size, application, schemas, WAIT_MAX);
  }

  /** The same, waiting for a connection no longer than this: for callers that try again. */
  public static Database open(
      DatabaseUrl url, int size, String application, List<String> schemas, Duration waitMax) {
    Properties properties = url.properties();
    properties.setProperty("ApplicationName", application);
    properties.setProperty("currentSchema", String.join(",", schemas));
    // The details of a refusal repeat the row's values, which belong in no log.
    properties.setProperty("logServerErrorDetail", "false");
    properties.setProperty("connectTimeout", "3");
    properties.setProperty("socketTimeout", "60");
    properties.setProperty(
        "options",
        "-c statement_timeout=%s -c idle_in_transaction_session_timeout=%s"
            .formatted(STATEMENT_BOUND, IDLE_BOUND));
    properties.setProperty("reWriteBatchedInserts", "true");
    RetryingDataSource source = new RetryingDataSource(url.jdbc(), properties);
    HikariConfig config = new HikariConfig();
    config.setDataSource(source);
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(1);
    // A connection is tested when it is lent; asking idle ones costs statements for nothing.
    config.setKeepaliveTime(0);
    config.setConnectionTimeout(waitMax.toMillis());
    config.setInitializationFailTimeout(-1);
    config.setPoolName(application);
    return new Database(source, new HikariDataSource(config));
  }

  /** The pool itself, for libraries that ask for one (migrations, metrics). */
  public DataSource dataSource() {
    return pool;
  }

  /** Runs single statements, each its own transaction. */
  public <T> T read(SqlWork<T> sqlWork) {
    return on(connection -> sqlWork.run(new Tx(connection)));
  }

  /**
   * Runs one transaction and answers what the work answered. The work is run again when Postgres
   * asks for it, and once more when the connection broke before the commit was sent, or led to a
   * server that only reads by now, so that a short restart and a failover of Postgres go unnoticed.
   *
   * @throws StoreUnavailable when Postgres is out of reach; if it went away during the commit, the
   *     outcome is unknown
   * @throws SqlFailure when Postgres refused a statement; nothing was changed
   */
  public <T> T transaction(SqlWork<T> sqlWork) {
    boolean broke = false;
    for (int attempt = 1; ; attempt++) {
      try {
        return attempt(sqlWork);
      } catch (BrokenBeforeCommit e) {
        if (broke) {
          throw e.failure;
        }
        broke = true;
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
  public void run(VoidSqlWork work) {
    boolean _ =
        transaction(
            tx -> {
              work.run(tx);
              return true;
            });
  }

  @Override
  public void close() {
    pool.close();
  }

  private <T> T attempt(SqlWork<T> sqlWork) {
    List<Runnable> afterCommit = new ArrayList<>();
    T result =
        on(
            connection -> {
              Tx tx = new Tx(connection, afterCommit);
              boolean committed = false;
              try {
                T answer = beforeCommit(connection, sqlWork, tx);
                tx.decide();
                connection.commit();
                committed = true;
                return answer;
              } finally {
                if (!committed) {
                  rollback(connection);
                  tx.doubts().forEach(Database::runAfterCommit);
                }
              }
            });
    afterCommit.forEach(Database::runAfterCommit);
    return result;
  }

  private static <T> T beforeCommit(Connection connection, SqlWork<T> sqlWork, Tx tx)
      throws SQLException {
    connection.setAutoCommit(false);
    try {
      return sqlWork.run(tx);
    } catch (StoreUnavailable e) {
      boolean again = connection.isClosed() || isReadOnly(e);
      throw again && !tx.decided() ? new BrokenBeforeCommit(e) : e;
    }
  }

  /** How often a connection was lent so far: for a transaction, or for statements on their own. */
  public long turns() {
    return turns.sum();
  }

  private <T> T on(ConnectionUse<T> connectionUse) {
    turns.increment();
    Connection connection = borrow();
    try {
      return connectionUse.of(connection);
    } catch (SQLException e) {
      throw failure(e);
    } catch (BrokenBeforeCommit e) {
      turnIfReadOnly(e.failure);
      throw e;
    } catch (StoreUnavailable e) {
      turnIfReadOnly(e);
      throw e;
    } finally {
      giveBack(connection);
    }
  }

  private Connection borrow() {
    try {
      return pool.getConnection();
    } catch (SQLException e) {
      if (e.getCause() instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      throw new StoreUnavailable(source.refusal().orElse(e));
    }
  }

  /**
   * The pool restores auto-commit. A connection that broke under its user says that the others are
   * broken too, so the pool drops them all.
   */
  private void giveBack(Connection connection) {
    try {
      if (connection.isClosed() && !pool.isClosed()) {
        pool.getHikariPoolMXBean().softEvictConnections();
      }
      connection.close();
    } catch (SQLException e) {
      log.debug("a connection broke while it was given back", e);
    }
  }

  /** Drops all connections, so that the next ones lead to the primary of now. */
  private void turnIfReadOnly(StoreUnavailable failure) {
    long last = turnedAt.get();
    long now = System.nanoTime();
    if (isReadOnly(failure)
        && now - last >= BETWEEN_TURNS.toNanos()
        && turnedAt.compareAndSet(last, now)
        && !pool.isClosed()) {
      log.warn("Postgres only reads now; {} looks for the primary", pool.getPoolName());
      pool.getHikariPoolMXBean().softEvictConnections();
    }
  }

  private static boolean isReadOnly(StoreUnavailable failure) {
    return failure.getCause() instanceof SQLException e && READ_ONLY.equals(e.getSQLState());
  }

  private static void rollback(Connection connection) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      log.debug("rollback failed, the connection is dropped", e);
    }
  }

  /** What is committed stays committed, so a failure here is reported and not thrown. */
  private static void runAfterCommit(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException | Error e) {
      log.error("an action after a commit failed", e);
    }
  }

  /** Sorts a driver's exception into out of reach (08, 57P, 53, some more) and refused. */
  static RuntimeException failure(SQLException e) {
    String state = e.getSQLState() == null ? "" : e.getSQLState();
    boolean away = AWAY_CLASSES.stream().anyMatch(state::startsWith) || AWAY.contains(state);
    return away ? new StoreUnavailable(e) : new SqlFailure(e);
  }

  private interface ConnectionUse<T> {
    T of(Connection connection) throws SQLException;
  }

  /** The connection went away while nothing was decided, so the work may be run on another. */
  private static final class BrokenBeforeCommit extends RuntimeException {
    private final transient StoreUnavailable failure;

    private BrokenBeforeCommit(StoreUnavailable failure) {
      super(failure);
      this.failure = failure;
    }
  }
}
