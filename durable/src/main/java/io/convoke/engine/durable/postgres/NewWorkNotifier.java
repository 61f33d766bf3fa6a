package io.convoke.engine.durable.postgres;

import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.Tx;
import io.convoke.engine.wake.BackgroundLoop;
import io.convoke.engine.wake.Waiter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies other nodes of new work after its commit. Announcements are collected while one is being
 * sent, and each is a transaction of its own that does not wait for the disk: a NOTIFY inside the
 * writing transaction would make all commits of the cluster queue up behind one lock.
 *
 * <p>A lost notification delays other nodes until their next scan, but never loses work.
 */
final class NewWorkNotifier implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(NewWorkNotifier.class);
  private static final Duration LATELY = Duration.ofMinutes(1);
  private static final int VOICES_MAX = 64;
  private static final Duration RETRY = Duration.ofMillis(200);
  private static final Duration LONG = Duration.ofHours(1);

  private final DatabaseUrl url;
  private final Waiter news = new Waiter();
  private final Map<String, Long> waiting = new HashMap<>();
  private final Map<Integer, Long> voices = new ConcurrentHashMap<>();
  private final BackgroundLoop thread;
  private @Nullable Connection connection;
  private final NotifyThrottle notifyThrottle = new NotifyThrottle(System.nanoTime());
  private volatile int backend;

  NewWorkNotifier(DatabaseUrl url) {
    this.url = url;
    this.thread = BackgroundLoop.start("durable-announcer", this::turn);
  }

  /**
   * Whether a notification from a backend process comes from this node, which can ignore it: the
   * backend of the notifier's connection, or one on which a writer of this node notified within the
   * last minute. Process ids are not reused that soon.
   */
  boolean isOwn(int process) {
    Long spoke = voices.get(process);
    return process == backend || (spoke != null && lately(spoke));
  }

  /** Records that a writer has notified through this backend process. */
  void spoke(int process) {
    Long _ = voices.put(process, System.nanoTime());
    if (voices.size() > VOICES_MAX) {
      boolean _ = voices.values().removeIf(spoke -> !lately(spoke));
    }
  }

  private static boolean lately(long spoke) {
    return System.nanoTime() - spoke < LATELY.toNanos();
  }

  /**
   * Whether the throttle lets a writer notify with its own commit; a true result counts as that
   * notification.
   */
  boolean leavesItToWriter() {
    return notifyThrottle.tryAcquire(System.nanoTime());
  }

  /**
   * The announcement of what the statement before it has written, for the writer to send after its
   * commit; see {@link #visible}.
   */
  static Function<Tx, Query> telling(String channel) {
    return tx ->
        tx.sql(
                """
            select pg_backend_pid() as voice, set_config('synchronous_commit', 'off', true),
                   case when current_setting('convoke.visible') <> ''
                     then pg_notify(?, current_setting('convoke.visible'))::text end
            """)
            .with(channel);
  }

  /**
   * SQL that stores for {@link #telling} the instant from which something is visible: in epoch
   * milliseconds, rounded up; nothing for null.
   */
  static String visible(String expression) {
    return """
        set_config('convoke.visible',
          coalesce(ceil(extract(epoch from %s) * 1000)::bigint::text, ''), false)"""
        .formatted(expression);
  }

  /**
   * Enqueues a notification that something is visible from an instant on, in epoch milliseconds.
   */
  void announce(String channel, long visibleMs) {
    synchronized (waiting) {
      long _ = waiting.merge(channel, visibleMs, Math::min);
    }
    news.wake();
  }

  @Override
  public void close() {
    news.close();
    thread.close();
    disconnect();
  }

  private void turn() throws InterruptedException {
    try {
      if (connection == null) {
        connection = connect();
      }
      send(connection);
      boolean _ = news.await(LONG);
    } catch (SQLException e) {
      disconnect();
      if (!news.closed()) {
        log.info("notifications wait for a connection: {}", e.getMessage());
        LockSupport.parkNanos(RETRY.toNanos());
      }
    }
  }

  private void send(Connection open) throws SQLException {
    Map<String, Long> due;
    synchronized (waiting) {
      due = Map.copyOf(waiting);
    }
    if (due.isEmpty()) {
      return;
    }
    try (PreparedStatement notify = open.prepareStatement("select pg_notify(?, ?)")) {
      for (Map.Entry<String, Long> one : due.entrySet()) {
        synchronized (waiting) {
          boolean _ = waiting.remove(one.getKey(), one.getValue());
        }
        notify.setString(1, one.getKey());
        notify.setString(2, Long.toString(one.getValue()));
        boolean _ = notify.execute();
      }
    }
    long now = System.nanoTime();
    notifyThrottle.onNotified(now);
    LockSupport.parkNanos(notifyThrottle.silence(now));
  }

  private Connection connect() throws SQLException {
    Properties properties = url.properties();
    properties.setProperty("connectTimeout", "3");
    properties.setProperty("socketTimeout", "10");
    properties.setProperty("prepareThreshold", "1");
    properties.setProperty("ApplicationName", "convoke-durable-announcer");
    Connection fresh = DriverManager.getConnection(url.jdbc(), properties);
    try (Statement statement = fresh.createStatement()) {
      boolean _ = statement.execute("set synchronous_commit = off");
    }
    backend = fresh.unwrap(PGConnection.class).getBackendPID();
    return fresh;
  }

  private void disconnect() {
    Connection broken = connection;
    connection = null;
    if (broken != null) {
      try {
        broken.close();
      } catch (SQLException e) {
        log.debug("closing the announcer's connection", e);
      }
    }
  }
}
