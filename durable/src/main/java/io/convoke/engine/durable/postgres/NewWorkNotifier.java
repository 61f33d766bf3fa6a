package io.convoke.engine.durable.postgres;

import io.convoke.engine.sql.ConnectionSource;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.Tx;
import io.convoke.engine.wake.BackgroundLoop;
import io.convoke.engine.wake.PostgresListener;
import io.convoke.engine.wake.Waiter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Notifies other nodes of new work after its commit. Announcements are collected while one is being
 * sent, and each is a transaction of its own that does not wait for the disk: a NOTIFY inside the
 * writing transaction would make all commits of the cluster queue up behind one lock.
 *
 * <p>A lost notification delays other nodes until their next scan, but never loses work.
 */
final class NewWorkNotifier implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(NewWorkNotifier.class);

  /** Begins a notification that a trigger of {@code slots.sql} made an item visible. */
  private static final String ADMITTED = "+";

  private static final Duration BACKEND_KNOWN = Duration.ofMinutes(1);
  private static final int BACKENDS_MAX = 64;
  private static final Duration RETRY = Duration.ofMillis(200);
  private static final Duration LONG = Duration.ofHours(1);

  private final ConnectionSource source;
  private final Waiter announced = new Waiter();

  /** The earliest instants that are to be sent; guarded by itself. */
  private final Map<Announcement, Long> waiting = new HashMap<>();

  /** Backend processes through which writers have notified, with the time of the last. */
  private final Map<Integer, Long> backends = new ConcurrentHashMap<>();

  private final NotifyThrottle notifyThrottle = new NotifyThrottle(System.nanoTime());
  private @Nullable BackgroundLoop loop;
  private @Nullable Connection connection;

  /** Whether the log has the present outage; of the loop's thread. */
  private boolean logged;

  private volatile int backend;

  /** Further announcements of each transaction. */
  private volatile Supplier<List<Announcement>> more = List::of;

  /**
   * What is announced on a channel.
   *
   * @param pool the only pool that it concerns, or empty
   */
  record Announcement(String channel, String pool) {
    /** What follows the instant in the payload. */
    private String ending() {
      return pool.isEmpty() ? "" : " " + pool;
    }
  }

  /** A notifier that sends nothing before its {@link #start}. */
  NewWorkNotifier(ConnectionSource source) {
    this.source = source;
  }

  /** Begins to connect and to send, with each transaction also what {@code more} supplies then. */
  void start(Supplier<List<Announcement>> more) {
    this.more = more;
    loop = BackgroundLoop.start("durable-announcer", this::turn);
  }

  /**
   * Whether a notification from a backend process comes from this node, which can ignore it: the
   * backend of the notifier's connection, or one on which a writer of this node notified within the
   * last minute. Process ids are not reused that soon.
   */
  boolean isOwn(int process) {
    Long last = backends.get(process);
    return process == backend || (last != null && isRecent(last));
  }

  /** Records that a writer has notified through this backend process. */
  void notifiedBy(int process) {
    Long _ = backends.put(process, System.nanoTime());
    if (backends.size() > BACKENDS_MAX) {
      boolean _ = backends.values().removeIf(last -> !isRecent(last));
    }
  }

  /** A receiver of what other nodes notify, and of what triggers admitted in any session. */
  PostgresListener.NotificationReceiver fromOthers(Consumer<String> heard, Runnable connected) {
    return new PostgresListener.NotificationReceiver() {
      @Override
      public void notified(String payload) {
        heard.accept(payload);
      }

      @Override
      public void notified(String payload, int sender) {
        if (!isOwn(sender) || payload.startsWith(ADMITTED)) {
          heard.accept(payload);
        }
      }

      @Override
      public void rescan() {
        connected.run();
      }
    };
  }

  private static boolean isRecent(long last) {
    return System.nanoTime() - last < BACKEND_KNOWN.toNanos();
  }

  /**
   * Whether the throttle lets a writer notify with its own commit; a true result counts as that
   * notification.
   */
  boolean leavesItToWriter() {
    return notifyThrottle.tryAcquire(System.nanoTime());
  }

  /**
   * The statement by which a writer notifies, after its commit, of what the statement before it has
   * stored; see {@link #visible}.
   */
  static Query notification(Tx tx, Collection<Announcement> announcements) {
    return tx.sql(
            """
            select pg_backend_pid() as backend, set_config('synchronous_commit', 'off', true),
                   case when current_setting('convoke.visible') <> '' then (
                     select count(pg_notify(n.channel, current_setting('convoke.visible') || n.ending)::text)
                     from unnest(?::text[], ?::text[]) as n(channel, ending)) end
            """)
        .with(
            announcements.stream().map(Announcement::channel).toArray(String[]::new),
            announcements.stream().map(Announcement::ending).toArray(String[]::new));
  }

  /**
   * SQL that stores for {@link #notification} the instant from which an item is visible: in epoch
   * milliseconds, rounded up; nothing for null.
   */
  static String visible(String expression) {
    return """
    set_config('convoke.visible',
      coalesce(ceil(extract(epoch from %s) * 1000)::bigint::text, ''), false)\
    """
        .formatted(expression);
  }

  /** Enqueues a notification that an item is visible from an instant on, in epoch milliseconds. */
  void announce(String channel, long visibleMs) {
    announce(new Announcement(channel, ""), visibleMs);
  }

  void announce(Announcement announcement, long visibleMs) {
    synchronized (waiting) {
      long _ = waiting.merge(announcement, visibleMs, Math::min);
    }
    announced.wake();
  }

  /** Sends soon what {@link #start} was given to ask for. */
  void wake() {
    announced.wake();
  }

  @Override
  public void close() {
    announced.close();
    if (loop != null) {
      loop.close();
    }
    disconnect();
  }

  private void turn() throws InterruptedException {
    try {
      if (connection == null) {
        connection = connect();
        logged = false;
      }
      send(connection);
      boolean _ = announced.await(LONG);
    } catch (SQLException e) {
      disconnect();
      if (!announced.closed()) {
        // It is tried five times a second, for as long as the outage lasts.
        log.atLevel(logged ? Level.DEBUG : Level.INFO)
            .log("no connection for notifications, retrying: {}", e.getMessage());
        logged = true;
        LockSupport.parkNanos(RETRY.toNanos());
      }
    }
  }

  private void send(Connection open) throws SQLException {
    Map<Announcement, Long> due;
    synchronized (waiting) {
      more.get().forEach(announcement -> waiting.merge(announcement, 0L, Math::min));
      due = Map.copyOf(waiting);
      waiting.clear();
    }
    if (due.isEmpty()) {
      return;
    }
    try (PreparedStatement notify =
        open.prepareStatement(
            "select pg_notify(n.channel, n.payload) from unnest(?, ?) as n(channel, payload)")) {
      notify.setArray(
          1,
          open.createArrayOf("text", due.keySet().stream().map(Announcement::channel).toArray()));
      notify.setArray(
          2,
          open.createArrayOf(
              "text",
              due.entrySet().stream()
                  .map(each -> each.getValue() + each.getKey().ending())
                  .toArray()));
      boolean _ = notify.execute();
    } catch (SQLException e) {
      due.forEach(this::announce);
      throw e;
    }
    long now = System.nanoTime();
    notifyThrottle.onNotified(now);
    LockSupport.parkNanos(notifyThrottle.silence(now));
  }

  private Connection connect() throws SQLException {
    Connection fresh =
        source.connect(
            "convoke-durable-announcer",
            Map.of("connectTimeout", "3", "socketTimeout", "10", "prepareThreshold", "1"),
            Map.of("synchronous_commit", "off"));
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
        log.debug("closing the connection for notifications failed", e);
      }
    }
  }

  /**
   * Limits the rate of notifications. The first after a pause is sent at once; under continuous
   * load the gaps double up to {@link #MOST}: each notification wakes every node, and one carries
   * as much as ten.
   */
  static final class NotifyThrottle {
    static final Duration LEAST = Duration.ofMillis(2);
    static final Duration MOST = Duration.ofMillis(8);

    private long last;
    private long gap = LEAST.toNanos();

    /** A throttle that lets the first notification pass. */
    NotifyThrottle(long now) {
      this.last = now - 2 * MOST.toNanos() - 1;
    }

    /** Whether the caller may notify now; if true, it must. */
    synchronized boolean tryAcquire(long now) {
      if (now - last <= gap) {
        return false;
      }
      onNotified(now);
      return true;
    }

    /** Records that a notification was sent. */
    synchronized void onNotified(long now) {
      gap = now - last <= 2 * gap ? Math.min(2 * gap, MOST.toNanos()) : LEAST.toNanos();
      last = now;
    }

    /** The time until the next notification is allowed, in nanoseconds. */
    synchronized long silence(long now) {
      return Math.max(0, last + gap - now);
    }
  }
}
