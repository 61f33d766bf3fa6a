package io.convoke.engine.wake;

import io.convoke.engine.sql.ApplicationDataSource;
import io.convoke.engine.sql.ConnectionSource;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.testhook.TestSignal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
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
 * LISTEN on a connection of its own, outside the pool. After every connect it executes LISTEN and
 * then asks all receivers to rescan. It tests a connection that was silent for 20 seconds, which
 * detects a half-open one and one to a former primary.
 */
public final class PostgresListener implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PostgresListener.class);
  private static final Duration SILENCE_MAX = Duration.ofSeconds(20);
  private static final int TEST_TIMEOUT_SECONDS = 5;
  private static final Duration CLOSED_WITHIN = Duration.ofMillis(250);
  private static final Duration BACKOFF_MAX = Duration.ofSeconds(2);

  private final ConnectionSource source;
  private final Map<String, NotificationReceiver> receivers;
  private final ListenerSession listenerSession;
  private final Duration silenceMax;

  /** Of one read; a borrowed connection is not cut off, so its reads end by themselves. */
  private final Duration wait;

  private final BackgroundLoop loop;
  private final TestSignal<Boolean> connected = new TestSignal<>();
  private volatile boolean closed;
  private volatile boolean listening;
  private final AtomicLong connects = new AtomicLong();
  private volatile @Nullable Connection current;

  /** Connections that failed since the last LISTEN; used by the listener's thread alone. */
  private int failures;

  /** Receives the notifications of a channel on the listener's thread, so it must not block. */
  public interface NotificationReceiver {
    void notified(String payload);

    /** Receives the process id of the sending backend too, by which a sender ignores its own. */
    default void notified(String payload, int sender) {
      notified(payload);
    }

    /** The connection is new; notifications may have been missed. */
    void rescan();
  }

  /**
   * Uses the connection for more than LISTEN, for instance for session locks; its end is noticed at
   * once, because it is always being read. Called on the listener's thread.
   */
  public interface ListenerSession {
    /** The connection is open; LISTEN follows. */
    void opened(Connection connection) throws SQLException;

    /** The connection is closed or was lost. */
    void lost();

    /** Uses the connection for LISTEN alone. */
    ListenerSession PLAIN =
        new ListenerSession() {
          @Override
          public void opened(Connection connection) {}

          @Override
          public void lost() {}
        };
  }

  /** Starts to listen on channels; it connects and reconnects in the background until closed. */
  public PostgresListener(ConnectionSource source, Map<String, NotificationReceiver> receivers) {
    this(source, receivers, ListenerSession.PLAIN, SILENCE_MAX);
  }

  /** Starts to listen, and passes each new connection to a session. */
  public PostgresListener(
      ConnectionSource source,
      Map<String, NotificationReceiver> receivers,
      ListenerSession listenerSession) {
    this(source, receivers, listenerSession, SILENCE_MAX);
  }

  PostgresListener(
      ConnectionSource source,
      Map<String, NotificationReceiver> receivers,
      ListenerSession listenerSession,
      Duration silenceMax) {
    this.source = source;
    this.receivers = Map.copyOf(receivers);
    this.listenerSession = listenerSession;
    this.silenceMax = silenceMax;
    this.wait =
        switch (source) {
          case DatabaseUrl _ -> silenceMax;
          case ApplicationDataSource _ ->
              silenceMax.compareTo(CLOSED_WITHIN) < 0 ? silenceMax : CLOSED_WITHIN;
        };
    this.loop = BackgroundLoop.start("postgres-listener", this::connectAndReceive);
  }

  public boolean listening() {
    return listening;
  }

  /** How often it has executed LISTEN; more than once means that it lost a connection. */
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
    switch (source) {
      case DatabaseUrl _ -> {
        abort();
        loop.stop();
      }
      case ApplicationDataSource _ -> loop.close();
    }
  }

  private void abort() {
    Connection connection = current;
    if (connection != null) {
      try {
        connection.abort(Runnable::run);
      } catch (SQLException e) {
        log.debug("closing the listener's connection", e);
      }
    }
  }

  private void connectAndReceive() {
    try (Connection connection = connect()) {
      current = connection;
      listenerSession.opened(connection);
      listen(connection);
      failures = 0;
      receive(connection);
    } catch (SQLException e) {
      if (!closed) {
        log.info("no LISTEN connection, retrying: {}", e.getMessage());
      }
    } finally {
      disconnected();
    }
    if (!closed) {
      failures++;
      backOff(failures);
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
        (channel, notificationReceiver) -> call(channel, notificationReceiver::rescan));
  }

  private void receive(Connection connection) throws SQLException {
    PGConnection postgres = connection.unwrap(PGConnection.class);
    long heard = System.nanoTime();
    while (!closed) {
      PGNotification[] notifications = postgres.getNotifications((int) wait.toMillis());
      if (notifications == null || notifications.length == 0) {
        if (System.nanoTime() - heard >= silenceMax.toNanos()) {
          selfTest(connection);
          heard = System.nanoTime();
        }
        continue;
      }
      heard = System.nanoTime();
      for (PGNotification notification : notifications) {
        NotificationReceiver notificationReceiver = receivers.get(notification.getName());
        if (notificationReceiver != null) {
          call(
              notification.getName(),
              () ->
                  notificationReceiver.notified(
                      notification.getParameter(), notification.getPID()));
        }
      }
    }
  }

  /** Calls a receiver; one that fails does not keep the others from being called. */
  private static void call(String channel, Runnable receiver) {
    try {
      receiver.run();
    } catch (RuntimeException | Error e) {
      log.error("a receiver of {} failed", channel, e);
    }
  }

  /** Every step of connecting is bounded; waiting for notifications sets its own bound. */
  private Connection connect() throws SQLException {
    return source.connect(
        "convoke-listener",
        Map.of(
            "connectTimeout", "3",
            "loginTimeout", "5",
            "socketTimeout", "10",
            "socketFactory", LowLatencySocketFactory.class.getName()),
        Map.of());
  }

  private void selfTest(Connection connection) throws SQLException {
    if (!connection.isValid(TEST_TIMEOUT_SECONDS)) {
      throw new SQLException("the connection does not respond");
    }
    // The server reports changes of these settings, so reading them costs no statement.
    PGConnection session = connection.unwrap(PGConnection.class);
    boolean standby = "on".equals(session.getParameterStatus("in_hot_standby"));
    boolean onlyReads = "on".equals(session.getParameterStatus("default_transaction_read_only"));
    if (standby || (source.wantsPrimary() && onlyReads)) {
      throw new SQLException("this server is no longer the primary");
    }
  }

  private static void backOff(int failures) {
    long maxMs = Math.min(BACKOFF_MAX.toMillis(), 100L << Math.min(failures, 10));
    long ms = ThreadLocalRandom.current().nextLong(maxMs / 2, maxMs + 1);
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(ms));
  }
}
