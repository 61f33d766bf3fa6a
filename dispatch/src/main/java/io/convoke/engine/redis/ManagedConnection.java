package io.convoke.engine.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection that is kept open. A thread connects, sends PING when the connection is in doubt,
 * and reconnects as soon as it breaks or stops answering; a peer that vanished without closing
 * would otherwise hold the connection for 15 minutes.
 *
 * <p>It pings at once after a command timed out, within five seconds of a command whose answer it
 * does not see, and after a long idle time. Any answer counts as a pong, and an unused connection
 * is not checked.
 *
 * <p>Callers never connect: they get the open connection, or fail at once. Only the first attempt
 * is awaited, so that a process may begin with a command.
 */
final class ManagedConnection<C extends StatefulRedisConnection<String, String>>
    implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ManagedConnection.class);
  private static final Duration ATTEMPT_MAX = Duration.ofSeconds(5);
  private static final Duration PAUSE = Duration.ofMillis(500);
  static final Duration PULSE = Duration.ofSeconds(5);
  private static final Duration PULSE_MAX = Duration.ofSeconds(2);

  private final String name;
  private final long quietNanos;
  private final Supplier<? extends CompletionStage<C>> connector;
  private final Consumer<C> onUp;
  private final Runnable onDown;
  private final Thread thread;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private volatile @Nullable C current;
  private boolean decided;

  /** The last connection that broke; an older one may say so late. */
  private @Nullable C broken;

  private volatile boolean closed;

  /** When the connection last answered. */
  private volatile long heardAt;

  /** Whether a command was sent, since the last PING, whose answer is not reported to this link. */
  private volatile boolean used;

  /** Whether the log has the present outage; of the link's thread. */
  private boolean logged;

  /** Whether something was not answered in time; guarded by the lock. */
  private boolean doubtful;

  /**
   * A connection that answers nothing for {@code quiet} gets a PING; {@code onUp} runs on the
   * link's thread after each connect; the link is down if it throws. {@code onDown} runs there as
   * well, whenever there is no connection and another is about to be made.
   */
  ManagedConnection(
      String name,
      Duration quiet,
      Supplier<? extends CompletionStage<C>> connector,
      Consumer<C> onUp,
      Runnable onDown) {
    this.name = name;
    this.quietNanos = quiet.toNanos();
    this.connector = connector;
    this.onUp = onUp;
    this.onDown = onDown;
    this.thread = Thread.ofPlatform().name("redis-" + name).daemon().unstarted(this::run);
  }

  ManagedConnection<C> start() {
    thread.start();
    return this;
  }

  /**
   * The connection that is up.
   *
   * @throws RedisUnavailable at once when there is none, except that the first attempt is awaited
   */
  C get() {
    C connection = up();
    if (connection == null) {
      awaitDecided();
      connection = up();
    }
    if (connection == null) {
      throw new RedisUnavailable(null);
    }
    return connection;
  }

  /** The connection that is up right now, if there is one. */
  @Nullable C up() {
    C connection = current;
    return connection != null && connection.isOpen() ? connection : null;
  }

  /** A command was answered. */
  void onReply() {
    heardAt = System.nanoTime();
  }

  /** A command is sent whose answer will not be reported. */
  void used() {
    if (!used) {
      lock.lock();
      try {
        used = true;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /** A command was not answered in time. */
  void doubt() {
    lock.lock();
    try {
      doubtful = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    C connection = current;
    if (connection != null) {
      var _ = connection.closeAsync();
    }
  }

  private void run() {
    try {
      while (!closed) {
        try {
          connectAndServe();
        } catch (RuntimeException | Error e) {
          log.error("the link {} to Redis failed and goes on", name, e);
          pause();
        }
      }
    } catch (InterruptedException e) {
      log.debug("the link {} to Redis is closed", name);
    } finally {
      current = null;
      decide();
    }
  }

  private void connectAndServe() throws InterruptedException {
    C connection = connect();
    if (connection == null) {
      onDown.run();
      pause();
      return;
    }
    try {
      serve(connection);
    } finally {
      current = null;
      if (connection.isOpen()) {
        var _ = connection.closeAsync();
      }
    }
    if (!closed) {
      onDown.run();
    }
  }

  private @Nullable C connect() throws InterruptedException {
    try {
      C connection = await(connector.get().toCompletableFuture());
      logged = false;
      connection.addListener(
          new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
              broke(connection);
            }
          });
      return connection;
    } catch (ExecutionException | TimeoutException | RedisException e) {
      if (logged || closed) {
        log.debug("the link {} to Redis is down: {}", name, e.toString());
      } else {
        logged = true;
        log.warn("Redis is out of reach, the link {} is tried again: {}", name, reason(e));
      }
      decide();
      return null;
    }
  }

  /** What failed, and the cause of it, such as a refused password. */
  private static String reason(Exception failure) {
    if (failure instanceof TimeoutException) {
      return "no connection within " + ATTEMPT_MAX.toSeconds() + " s";
    }
    Throwable outer = failure;
    Throwable inner = failure;
    for (Throwable next = failure.getCause(); next != null; next = next.getCause()) {
      outer = outer instanceof ExecutionException ? next : outer;
      inner = next;
    }
    String what = String.valueOf(outer.getMessage());
    String why = String.valueOf(inner.getMessage());
    return what.equals(why) ? what : what + ": " + why;
  }

  /** Waits for an attempt; a connection that comes after that is closed. */
  private C await(CompletableFuture<C> attempt)
      throws InterruptedException, ExecutionException, TimeoutException {
    boolean awaited = false;
    try {
      C connection = attempt.get(ATTEMPT_MAX.toMillis(), TimeUnit.MILLISECONDS);
      awaited = true;
      return connection;
    } finally {
      if (!awaited) {
        var _ =
            attempt.thenAccept(
                late -> {
                  var _ = late.closeAsync();
                });
      }
    }
  }

  /** Offers the connection until it breaks, stops answering or the link is closed. */
  private void serve(C connection) throws InterruptedException {
    // Offered first: a subscriber that comes now either sees it or is seen by onUp.
    current = connection;
    try {
      onUp.accept(connection);
    } catch (RuntimeException | Error e) {
      log.info("the link {} to Redis came up and failed: {}", name, e.toString());
      return;
    } finally {
      decide();
    }
    onReply();
    while (!closed && connection.isOpen() && !awaitBreak(connection)) {
      if (!lives(connection)) {
        log.warn("Redis is silent, the link {} is made anew", name);
        return;
      }
    }
  }

  private boolean lives(C connection) throws InterruptedException {
    try {
      boolean answered =
          connection.async().ping().get(PULSE_MAX.toMillis(), TimeUnit.MILLISECONDS) != null;
      onReply();
      return answered;
    } catch (ExecutionException | TimeoutException e) {
      return false;
    }
  }

  private void broke(C connection) {
    lock.lock();
    try {
      broken = connection;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void decide() {
    lock.lock();
    try {
      decided = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void awaitDecided() {
    long left = ATTEMPT_MAX.toNanos();
    lock.lock();
    try {
      while (!decided && left > 0) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until the connection breaks; false when it is to be asked for a sign of life. */
  @SuppressWarnings("ReferenceEquality") // this very connection, not one like it
  private boolean awaitBreak(C connection) throws InterruptedException {
    long asked = System.nanoTime();
    lock.lock();
    try {
      while (broken != connection) {
        long now = System.nanoTime();
        long left = quietNanos - (now - heardAt);
        if (used) {
          left = Math.min(left, PULSE.toNanos() - (now - asked));
        }
        if (doubtful || left <= 0) {
          // Before the question, so that what comes after it is asked about anew.
          doubtful = false;
          used = false;
          return false;
        }
        long _ = changed.awaitNanos(left);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void pause() throws InterruptedException {
    long left = PAUSE.toNanos();
    lock.lock();
    try {
      while (left > 0) {
        left = changed.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }
}
