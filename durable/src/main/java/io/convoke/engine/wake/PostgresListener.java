package io.convoke.engine.wake;

import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.testhook.TestSignal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * LISTEN on a connection of its own, outside the pool. After every connect it first listens and
 * then tells all receivers to look for what they missed; a connection that is silent for a minute
 * is asked for a sign of life, so a half-open one is noticed, and one to a former primary.
 */
public final class PostgresListener implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PostgresListener.class);
  private static final Duration SILENCE_MAX = Duration.ofMinutes(1);
  private static final int SIGN_OF_LIFE_SECONDS = 5;
  private static final Duration BACKOFF_MAX = Duration.ofSeconds(2);

  private final DatabaseUrl url;
  private final Map<String, NotificationReceiver> receivers;
  private final ListenerSession listenerSession;
  private final Duration silenceMax;
  private final Thread thread;
  private final TestSignal<Boolean> connected = new TestSignal<>();
  private volatile boolean closed;
  private volatile boolean listening;
  private final AtomicLong connects = new AtomicLong();
  private volatile @Nullable Connection current;

  /** Who wants to know about a channel; called on the listener's thread, so it must not block. */
  public interface NotificationReceiver {
    void notified(String payload);

    /**
     * As above; {@code sender} is the process id of the server that sent it, for its own sender.
     */
    default void notified(String payload, int sender) {
      notified(payload);
    }

    /** The connection is new: anything may have been missed. */
    void rescan();
  }

  /**
   * Who has something else to do on this connection, the one of a process that is always being read
   * and whose end is therefore noticed at once; called on the listener's thread.
   */
  public interface ListenerSession {
    /** A connection was made; it will listen next. */
    void opened(Connection connection) throws SQLException;

    /** The connection is gone. */
    void lost();

    /** Nothing but listening. */
    ListenerSession PLAIN =
        new ListenerSession() {
          @Override
          public void opened(Connection connection) {}

          @Override
          public void lost() {}
        };
  }

  /** Starts to listen on the given channels; connecting happens in the background and for ever. */
  public PostgresListener(DatabaseUrl url, Map<String, NotificationReceiver> receivers) {
    this(url, receivers, ListenerSession.PLAIN, SILENCE_MAX);
  }

  /** The same, with something to do on each new connection. */
  public PostgresListener(
      DatabaseUrl url,
      Map<String, NotificationReceiver> receivers,
      ListenerSession listenerSession) {
    this(url, receivers, listenerSession, SILENCE_MAX);
  }

  PostgresListener(
      DatabaseUrl url,
      Map<String, NotificationReceiver> receivers,
      ListenerSession listenerSession,
      Duration silenceMax) {
    this.url = url;
    this.receivers = Map.copyOf(receivers);
    this.listenerSession = listenerSession;
    this.silenceMax = silenceMax;
    this.thread = Thread.ofPlatform().name("postgres-listener").daemon().start(this::run);
  }

  public boolean listening() {
    return listening;
  }

  /** How often it has begun to listen; more than once means that it had lost its connection. */
  public long connects() {
    return connects.get();
  }

  /** True after each successful LISTEN, false after each loss. */
  public TestSignal<Boolean> connected() {
    return connected;
  }

  @Override
  public void close() {
    closed = true;
    Connection connection = current;
    if (connection != null) {
      try {
        connection.abort(Runnable::run);
      } catch (SQLException e) {
        log.debug("closing the listener's connection", e);
      }
    }
    thread.interrupt();
  }

  private void run() {
    int failures = 0;
    while (!closed) {
      try (Connection connection = DriverManager.getConnection(url.jdbc(), properties())) {
        current = connection;
        listenerSession.opened(connection);
        listen(connection);
        failures = 0;
        receive(connection);
      } catch (SQLException e) {
        if (!closed) {
          log.info("the listener has no connection: {}", e.getMessage());
        }
      } catch (RuntimeException | Error e) {
        log.error("the listener failed and goes on", e);
      } finally {
        disconnected();
      }
      if (!closed) {
        failures++;
        backOff(failures);
      }
    }
  }

  private void disconnected() {
    current = null;
    if (listening) {
      listening = false;
      connected.emit(false);
    }
    try {
      listenerSession.lost();
    } catch (RuntimeException | Error e) {
      log.error("the session of the listener failed", e);
    }
  }

  private void listen(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String channel : receivers.keySet()) {
        statement.execute("LISTEN \"" + channel.replace("\"", "\"\"") + "\"");
      }
    }
    long _ = connects.incrementAndGet();
    listening = true;
    connected.emit(true);
    receivers.forEach(
        (channel, notificationReceiver) -> tell(channel, notificationReceiver::rescan));
  }

  private void receive(Connection connection) throws SQLException {
    PGConnection postgres = connection.unwrap(PGConnection.class);
    while (!closed) {
      PGNotification[] notifications = postgres.getNotifications((int) silenceMax.toMillis());
      if (notifications == null || notifications.length == 0) {
        selfTest(connection);
        continue;
      }
      for (PGNotification notification : notifications) {
        NotificationReceiver notificationReceiver = receivers.get(notification.getName());
        if (notificationReceiver != null) {
          tell(
              notification.getName(),
              () ->
                  notificationReceiver.notified(
                      notification.getParameter(), notification.getPID()));
        }
      }
    }
  }

  /** A receiver that fails must not take the others' wake-ups with it. */
  private static void tell(String channel, Runnable call) {
    try {
      call.run();
    } catch (RuntimeException | Error e) {
      log.error("a receiver of {} failed", channel, e);
    }
  }

  /** Every step of connecting is bounded; waiting for notifications sets its own bound. */
  private Properties properties() {
    Properties properties = url.properties();
    properties.setProperty("connectTimeout", "3");
    properties.setProperty("loginTimeout", "5");
    properties.setProperty("socketTimeout", "10");
    properties.setProperty("ApplicationName", "convoke-listener");
    Object _ = properties.putIfAbsent("socketFactory", LowLatencySocketFactory.class.getName());
    return properties;
  }

  private void selfTest(Connection connection) throws SQLException {
    if (!connection.isValid(SIGN_OF_LIFE_SECONDS)) {
      throw new SQLException("no sign of life from the connection");
    }
    // The server reports these settings by itself, so that asking costs no statement.
    PGConnection session = connection.unwrap(PGConnection.class);
    boolean standby = "on".equals(session.getParameterStatus("in_hot_standby"));
    boolean onlyReads = "on".equals(session.getParameterStatus("default_transaction_read_only"));
    if (standby || (url.wantsPrimary() && onlyReads)) {
      throw new SQLException("this server is not the primary any more");
    }
  }

  private static void backOff(int failures) {
    long maxMs = Math.min(BACKOFF_MAX.toMillis(), 100L << Math.min(failures, 10));
    long ms = ThreadLocalRandom.current().nextLong(maxMs / 2, maxMs + 1);
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(ms));
  }
}
