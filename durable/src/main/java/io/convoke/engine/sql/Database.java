package io.convoke.engine.sql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.IsolationLevel;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
 * The Postgres client: a fixed pool, bounded waiting, and transactions that are retried after a
 * serialization failure or a deadlock. Opening does not connect, so a server can start while its
 * database is unreachable.
 *
 * <p>Bounds: five seconds for a connection, {@value #STATEMENT_BOUND} for a statement, {@value
 * #IDLE_BOUND} for an idle transaction; Postgres enforces the last two. The last one protects other
 * nodes: a process that hangs within a transaction keeps its row locks from its successor, and
 * journal readers cannot pass its events. An {@code options} parameter in the URL replaces both. Of
 * a server that hangs, a login is given up after ten seconds of silence (twenty where the driver
 * tries once more without TLS) and a statement after a minute; a {@code socketTimeout} in the URL
 * replaces both.
 *
 * <p>Behind a pooler that gives each transaction another session, nothing is left in a session: the
 * settings are set at the beginning of each transaction, which costs a round trip, single
 * statements are transactions, and statements have no names.
 */
public final class Database implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Database.class);
  private static final int ATTEMPTS_MAX = 5;
  private static final Duration WAIT_MAX = Duration.ofSeconds(5);

  private static final Duration LOGIN_SILENCE_MAX = Duration.ofSeconds(10);

  /** Longer than the bound of a statement, which Postgres enforces. */
  private static final Duration SILENCE_MAX = Duration.ofSeconds(60);

  private static final String STATEMENT_BOUND = "30s";
  private static final String IDLE_BOUND = "10s";

  /**
   * The classes of a connection that broke (08), of a server that stops (57P) and of one that lacks
   * memory, disk or connections (53).
   */
  private static final List<String> UNAVAILABLE_CLASSES = List.of("08", "57P", "53");

  /**
   * The server is read-only: it has become a replica, or was set so. Another server may be the
   * primary.
   */
  private static final String READ_ONLY = "25006";

  /** Postgres closed the connection of an idle transaction; an I/O error. */
  private static final Set<String> UNAVAILABLE = Set.of(READ_ONLY, "25P03", "58030");

  /** The least time between two evictions of all connections because the server is read-only. */
  private static final Duration EVICTION_INTERVAL = Duration.ofSeconds(1);

  private static final Set<String> RETRYABLE = Set.of("40001", "40P01");

  private final RetryingDataSource source;
  private final HikariDataSource pool;

  /** What each transaction sets for itself; empty where sessions have their settings. */
  private final Map<String, String> transactionSettings;

  /** The same as a statement, for a transaction that begins within a round trip. */
  private final Optional<String> settingsStatement;

  private volatile CommitHook commitHook = CommitHook.NONE;
  private final LongAdder turns = new LongAdder();
  private final AtomicLong turnedAt =
      new AtomicLong(System.nanoTime() - EVICTION_INTERVAL.toNanos());

  private Database(
      RetryingDataSource source, HikariDataSource pool, Map<String, String> transactionSettings) {
    this.source = source;
    this.pool = pool;
    this.transactionSettings = Map.copyOf(transactionSettings);
    this.settingsStatement =
        transactionSettings.isEmpty()
            ? Optional.empty()
            : Optional.of(ConnectionSource.localStatement(transactionSettings));
  }

  /**
   * Opens a pool of {@code size} connections with the application name {@code application} and the
   * search path {@code schemas}.
   */
  public static Database open(DatabaseUrl url, int size, String application, List<String> schemas) {
    return open(url, size, application, schemas, WAIT_MAX);
  }

  /** Opens a pool with another bound for waiting for a connection, for callers that retry. */
  public static Database open(
      DatabaseUrl url, int size, String application, List<String> schemas, Duration waitMax) {
    String path = String.join(",", schemas);
    if (url.transactionPooled()) {
      return openPooled(
          url,
          size,
          application,
          Map.of(
              "search_path",
              path,
              "statement_timeout",
              STATEMENT_BOUND,
              "idle_in_transaction_session_timeout",
              IDLE_BOUND),
          waitMax);
    }
    Properties properties = properties(url, application);
    properties.setProperty("currentSchema", path);
    properties.setProperty(
        "options",
        "-c statement_timeout=%s -c idle_in_transaction_session_timeout=%s"
            .formatted(STATEMENT_BOUND, IDLE_BOUND));
    return open(() -> connect(url, properties), size, application, waitMax, Map.of());
  }

  /**
   * Opens a pool of connections to a pooler that gives each transaction another session.
   *
   * @param settings of every transaction, by their names in Postgres
   */
  public static Database openPooled(
      DatabaseUrl url, int size, String application, Map<String, String> settings) {
    return openPooled(url, size, application, settings, WAIT_MAX);
  }

  private static Database openPooled(
      DatabaseUrl url,
      int size,
      String application,
      Map<String, String> settings,
      Duration waitMax) {
    Properties properties = properties(url, application);
    properties.setProperty("prepareThreshold", "0");
    return open(() -> connect(url, properties), size, application, waitMax, settings);
  }

  private static Properties properties(DatabaseUrl url, String application) {
    Properties properties = url.properties();
    properties.setProperty("ApplicationName", application);
    // Error details contain values of the row, which must not be logged.
    properties.setProperty("logServerErrorDetail", "false");
    properties.setProperty("connectTimeout", "3");
    properties.setProperty("socketTimeout", Long.toString(LOGIN_SILENCE_MAX.toSeconds()));
    properties.setProperty("reWriteBatchedInserts", "true");
    return properties;
  }

  /**
   * Connects. A server that hangs accepts connections and says nothing; the pool opens one after
   * the other, so another server that takes over, behind the same address or as the next of the
   * URL, is not reached before that login is given up.
   */
  private static Connection connect(DatabaseUrl url, Properties properties) throws SQLException {
    Connection connection = DriverManager.getConnection(url.jdbc(), properties);
    if (url.jdbc().contains("socketTimeout=")) {
      return connection;
    }
    boolean ready = false;
    try {
      connection.setNetworkTimeout(Runnable::run, (int) SILENCE_MAX.toMillis());
      ready = true;
      return connection;
    } finally {
      if (!ready) {
        connection.close();
      }
    }
  }

  /**
   * Opens a pool of connections that are borrowed from the application.
   *
   * @param settings of every session, by their names in Postgres
   */
  public static Database open(
      ApplicationDataSource source, int size, String application, Map<String, String> settings) {
    Map<String, String> all = new LinkedHashMap<>(settings);
    // Where another level is the default, its owner gets it back with the connection.
    String _ = all.put("default_transaction_isolation", "read committed");
    return open(
        () -> source.connect(application, Map.of(), all), size, application, WAIT_MAX, Map.of());
  }

  private static Database open(
      RetryingDataSource.ConnectionOpener connectionOpener,
      int size,
      String application,
      Duration waitMax,
      Map<String, String> transactionSettings) {
    RetryingDataSource source = new RetryingDataSource(connectionOpener);
    HikariConfig config = new HikariConfig();
    config.setDataSource(source);
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(1);
    // The pool tests a connection when it lends it; testing idle ones would cost statements.
    config.setKeepaliveTime(0);
    config.setConnectionTimeout(waitMax.toMillis());
    config.setInitializationFailTimeout(-1);
    // Else the pool asks its first connection for the level, and lends none for good if that
    // connection breaks first (HikariCP issue 1944).
    config.setTransactionIsolation(IsolationLevel.TRANSACTION_READ_COMMITTED.name());
    config.setPoolName(application);
    return new Database(source, new HikariDataSource(config), transactionSettings);
  }

  /** The pool itself, for libraries that need one (migrations, metrics). */
  public DataSource dataSource() {
    return pool;
  }

  /** Asks this hook too before the commit of every transaction from now on. */
  public synchronized void beforeEachCommit(CommitHook hook) {
    this.commitHook = commitHook.and(hook);
  }

  /** Runs single statements, each its own transaction. */
  public <T> T read(SqlWork<T> sqlWork) {
    return on(
        connection -> {
          if (transactionSettings.isEmpty()) {
            return sqlWork.run(new Tx(connection));
          }
          begin(connection);
          T answer = sqlWork.run(new Tx(connection));
          connection.commit();
          return answer;
        });
  }

  private void begin(Connection connection) {
    try {
      connection.setAutoCommit(false);
      if (!transactionSettings.isEmpty()) {
        ConnectionSource.setLocally(connection, transactionSettings);
      }
    } catch (SQLException e) {
      throw failure(e);
    }
  }

  /** Whether successive transactions of one connection may have different sessions. */
  public boolean isTransactionPooled() {
    return !transactionSettings.isEmpty();
  }

  /**
   * Runs one transaction and returns the result of the work. It retries the work after a
   * serialization failure or a deadlock, and once if the connection broke before the commit was
   * sent or the server is read-only, so callers do not notice a short restart or a failover.
   *
   * @throws StoreUnavailable when Postgres is unreachable; if the connection broke during the
   *     commit, the outcome is unknown
   * @throws SqlFailure when Postgres rejected a statement; nothing was changed
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
        log.debug("transaction retried, attempt {}: {}", attempt, e.sqlState());
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(2_000_000L << attempt));
      }
    }
  }

  /** Runs one transaction without a result. */
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
              Tx tx = new Tx(connection, afterCommit, commitHook, settingsStatement);
              boolean committed = false;
              try {
                T answer = beforeCommit(connection, sqlWork, tx);
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

  private <T> T beforeCommit(Connection connection, SqlWork<T> sqlWork, Tx tx) throws SQLException {
    try {
      begin(connection);
      T answer = sqlWork.run(tx);
      tx.decide();
      return answer;
    } catch (StoreUnavailable e) {
      boolean again = connection.isClosed() || isReadOnly(e);
      throw again && !tx.decided() ? new BrokenBeforeCommit(e) : e;
    }
  }

  /** How often the pool has lent a connection, for a transaction or for single statements. */
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
   * Returns a connection; the pool restores auto-commit. If it broke while in use, the others are
   * probably broken too, so the pool drops them all.
   */
  private void giveBack(Connection connection) {
    try {
      if (connection.isClosed() && !pool.isClosed()) {
        pool.getHikariPoolMXBean().softEvictConnections();
      }
      connection.close();
    } catch (SQLException e) {
      log.debug("a connection broke while it was returned", e);
    }
  }

  /** Drops all connections, so that the next ones lead to the new primary. */
  private void turnIfReadOnly(StoreUnavailable failure) {
    long last = turnedAt.get();
    long now = System.nanoTime();
    if (isReadOnly(failure)
        && now - last >= EVICTION_INTERVAL.toNanos()
        && turnedAt.compareAndSet(last, now)
        && !pool.isClosed()) {
      log.warn("Postgres is read-only; {} reconnects to find the primary", pool.getPoolName());
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
      log.debug("rollback failed; dropped the connection", e);
    }
  }

  /** Runs actions after a commit; logs failures, since the transaction is committed. */
  private static void runAfterCommit(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException | Error e) {
      log.error("an action after a commit failed", e);
    }
  }

  /** Maps a driver's exception to unavailable (08, 57P, 53, some more) or failed. */
  static RuntimeException failure(SQLException e) {
    String state = e.getSQLState() == null ? "" : e.getSQLState();
    boolean away =
        UNAVAILABLE_CLASSES.stream().anyMatch(state::startsWith) || UNAVAILABLE.contains(state);
    return away ? new StoreUnavailable(e) : new SqlFailure(e);
  }

  private interface ConnectionUse<T> {
    T of(Connection connection) throws SQLException;
  }

  /** The connection broke before the commit was sent, so the work may be retried on another. */
  private static final class BrokenBeforeCommit extends RuntimeException {
    private final transient StoreUnavailable failure;

    private BrokenBeforeCommit(StoreUnavailable failure) {
      super(failure);
      this.failure = failure;
    }
  }
}
