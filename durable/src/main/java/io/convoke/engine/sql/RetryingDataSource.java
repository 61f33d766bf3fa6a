package io.convoke.engine.sql;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections for the pool and retries until Postgres accepts one. The pool's own backoff of
 * up to five seconds would keep callers failing after an outage has ended.
 */
final class RetryingDataSource implements DataSource {
  private static final Duration PAUSE = Duration.ofMillis(50);
  private static final Duration PAUSE_MAX = Duration.ofMillis(400);
  private static final int CLOSE_SECONDS = 3;

  private final ConnectionOpener connectionOpener;
  private volatile @Nullable SQLException refusal;

  /** Opens a connection, or fails. */
  interface ConnectionOpener {
    Connection open() throws SQLException;
  }

  RetryingDataSource(ConnectionOpener connectionOpener) {
    this.connectionOpener = connectionOpener;
  }

  /** Why the last attempt to connect failed. */
  Optional<SQLException> refusal() {
    return Optional.ofNullable(refusal);
  }

  /**
   * Opens a connection, with retries.
   *
   * @throws SQLException once the pool is closed, which interrupts its threads
   */
  @Override
  public Connection getConnection() throws SQLException {
    long pause = PAUSE.toNanos();
    while (true) {
      try {
        Connection connection = connectionOpener.open();
        refusal = null;
        return connection;
      } catch (SQLException e) {
        refusal = e;
        LockSupport.parkNanos(pause);
        pause = Math.min(2 * pause, PAUSE_MAX.toNanos());
        if (Thread.interrupted()) {
          throw e;
        }
      }
    }
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    throw new SQLFeatureNotSupportedException("the user is configured");
  }

  @Override
  public @Nullable PrintWriter getLogWriter() {
    return null;
  }

  @Override
  public void setLogWriter(PrintWriter out) {}

  @Override
  public void setLoginTimeout(int seconds) {}

  /** How long the pool waits at its close for a connection that is being opened. */
  @Override
  public int getLoginTimeout() {
    return CLOSE_SECONDS;
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException("no log writer");
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    throw new SQLException("not a wrapper");
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return false;
  }
}
