package io.convoke.engine.sql;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * A data source of the application, of connections of the PostgreSQL driver that are sessions. A
 * connection is borrowed: it gets the session settings that its borrower needs, and at its close it
 * has its own settings again, listens to nothing and holds no advisory lock.
 */
public record ApplicationDataSource(DataSource dataSource) implements ConnectionSource {
  private static final int PREPARED_AT_ONCE = 1;

  @Override
  public Connection connect(
      String application, Map<String, String> driver, Map<String, String> settings)
      throws SQLException {
    Map<String, String> all = new LinkedHashMap<>(settings);
    String _ = all.put("application_name", application);
    Connection lent = dataSource.getConnection();
    boolean borrowed = false;
    try {
      Connection connection = Borrowed.of(lent, all);
      borrowed = true;
      return connection;
    } finally {
      if (!borrowed) {
        lent.close();
      }
    }
  }

  @Override
  public boolean wantsPrimary() {
    return true;
  }

  /**
   * Checks that it lends so many connections at the same time, by borrowing them once.
   *
   * @throws IllegalStateException if it lends fewer
   * @throws StoreUnavailable if it lends none
   */
  public void require(int connections, Duration atMost) {
    long end = System.nanoTime() + atMost.toNanos();
    List<Connection> lent = new ArrayList<>();
    try {
      while (lent.size() < connections) {
        lent.add(lend(end));
      }
    } catch (SQLException e) {
      throw lent.isEmpty() ? new StoreUnavailable(e) : tooFew(lent.size(), connections, e);
    } catch (TimeoutException e) {
      throw tooFew(lent.size(), connections, e);
    } finally {
      lent.forEach(ApplicationDataSource::giveBack);
    }
  }

  private static IllegalStateException tooFew(int lent, int wanted, Exception cause) {
    return new IllegalStateException(
        "the engine keeps up to %d connections and the data source lent %d: make its pool larger, with some for the application itself, or set fewer with connections()"
            .formatted(wanted, lent),
        cause);
  }

  /** Borrows within a bound, whatever the bound of the data source is. */
  private Connection lend(long end) throws SQLException, TimeoutException {
    CompletableFuture<Connection> lending = new CompletableFuture<>();
    Thread _ =
        Thread.startVirtualThread(
            () -> {
              try {
                Connection connection = dataSource.getConnection();
                if (!lending.complete(connection)) {
                  giveBack(connection);
                }
              } catch (SQLException | RuntimeException e) {
                boolean _ = lending.completeExceptionally(e);
              }
            });
    try {
      return lending.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof SQLException sql ? sql : new SQLException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLException(e);
    } finally {
      boolean _ = lending.cancel(false);
    }
  }

  private static void giveBack(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      throw Database.failure(e);
    }
  }

  /** A lent connection, and what it was before. */
  private record Borrowed(
      Connection lent,
      PGConnection driver,
      boolean autoCommit,
      int threshold,
      int networkTimeout,
      Map<String, String> before)
      implements InvocationHandler {

    static Connection of(Connection lent, Map<String, String> settings) throws SQLException {
      if (!lent.isWrapperFor(PGConnection.class)) {
        throw new SQLException("the data source must lend connections of the PostgreSQL driver");
      }
      PGConnection driver = lent.unwrap(PGConnection.class);
      boolean autoCommit = lent.getAutoCommit();
      lent.setAutoCommit(true);
      Borrowed borrowed =
          new Borrowed(
              lent,
              driver,
              autoCommit,
              driver.getPrepareThreshold(),
              lent.getNetworkTimeout(),
              current(lent, settings));
      ConnectionSource.set(lent, settings);
      driver.setPrepareThreshold(PREPARED_AT_ONCE);
      return (Connection)
          Proxy.newProxyInstance(
              Borrowed.class.getClassLoader(), new Class<?>[] {Connection.class}, borrowed);
    }

    private static Map<String, String> current(Connection lent, Map<String, String> settings)
        throws SQLException {
      Map<String, String> values = new LinkedHashMap<>();
      try (PreparedStatement statement =
          lent.prepareStatement(
              "select s.name, coalesce(current_setting(s.name, true), '') from unnest(?) as"
                  + " s(name)")) {
        statement.setArray(1, lent.createArrayOf("text", settings.keySet().toArray()));
        try (ResultSet rows = statement.executeQuery()) {
          while (rows.next()) {
            String _ = values.put(rows.getString(1), rows.getString(2));
          }
        }
      }
      return values;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object[] arguments)
        throws Throwable {
      if (method.getName().equals("close")) {
        giveBackAsItWas();
        return null;
      }
      try {
        return method.invoke(lent, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }

    private void giveBackAsItWas() throws SQLException {
      try {
        if (!lent.isClosed()) {
          restore();
        }
      } catch (SQLException e) {
        // With foreign settings it is of no use to its owner.
        lent.abort(Runnable::run);
      } finally {
        lent.close();
      }
    }

    private void restore() throws SQLException {
      if (!lent.getAutoCommit()) {
        lent.rollback();
        lent.setAutoCommit(true);
      }
      try (Statement statement = lent.createStatement()) {
        boolean _ = statement.execute("unlisten *; select pg_advisory_unlock_all()");
      }
      ConnectionSource.set(lent, before);
      driver.setPrepareThreshold(threshold);
      lent.setAutoCommit(autoCommit);
      lent.setNetworkTimeout(Runnable::run, networkTimeout);
    }
  }
}
