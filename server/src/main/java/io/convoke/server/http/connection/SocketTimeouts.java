package io.convoke.server.http.connection;

import io.convoke.server.http.HttpConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Bounds how long a thread waits for a client's socket, since the web server sets no timeout of its
 * own. Interrupting a virtual thread that is blocked in socket I/O closes its socket, so only the
 * one slow client is disconnected.
 *
 * <p>Beginning and ending a watch is one insertion and one removal, cheap enough for every request.
 * One thread looks over what is watched each {@link #GRAIN}; with nothing to watch it sleeps.
 */
public final class SocketTimeouts implements AutoCloseable {
  static final Duration GRAIN = Duration.ofMillis(250);

  /** A wait under way; ended exactly once, by its owner or by the clock. */
  static final class WatchedWait {
    private final SocketTimeouts watch;
    private final Thread thread = Thread.currentThread();
    private final long since;
    private final long deadline;
    private final boolean write;
    private final Optional<String> reader;
    private final AtomicBoolean over = new AtomicBoolean();

    private WatchedWait(
        SocketTimeouts watch, Duration atMost, boolean write, Optional<String> reader) {
      this.watch = watch;
      this.since = System.nanoTime();
      this.deadline = since + atMost.toNanos();
      this.write = write;
      this.reader = reader;
    }

    /** The wait is over; false if the clock was first, and the socket is closed or about to be. */
    boolean end() {
      watch.watched.remove(this);
      return over.compareAndSet(false, true);
    }

    private void cutIfLate(long now) {
      if (now - deadline > 0) {
        cut(watch.late);
      }
    }

    private void cut(LongAdder stalled) {
      if (over.compareAndSet(false, true)) {
        watch.watched.remove(this);
        if (write) {
          stalled.increment();
        }
        thread.interrupt();
      }
    }

    private boolean stalled(long now, Duration after) {
      return now - since > after.toNanos();
    }
  }

  private final HttpConfig.SlowClientConfig slowClientConfig;
  private final LongAdder late = new LongAdder();
  private final LongAdder tooMany = new LongAdder();
  private final Set<WatchedWait> watched = ConcurrentHashMap.newKeySet();
  private final Thread thread;
  private volatile boolean idle;
  private volatile boolean closed;

  public SocketTimeouts(HttpConfig.SlowClientConfig slowClientConfig) {
    this.slowClientConfig = slowClientConfig;
    this.thread = Thread.ofPlatform().daemon().name("http-socket-watch").start(this::run);
  }

  /** Watches the calling thread; it is interrupted unless the watch is ended in time. */
  WatchedWait begin(Duration atMost) {
    return begin(new WatchedWait(this, atMost, false, Optional.empty()));
  }

  /**
   * Watches the calling thread while it writes to a client; if writes to too many of this address
   * are blocked, those that are blocked longest are cut sooner.
   */
  WatchedWait beginWrite(Duration atMost, Optional<String> address) {
    return begin(new WatchedWait(this, atMost, true, address));
  }

  private WatchedWait begin(WatchedWait watchedWait) {
    watched.add(watchedWait);
    if (idle) {
      LockSupport.unpark(thread);
    }
    return watchedWait;
  }

  private void run() {
    while (!closed) {
      if (watched.isEmpty()) {
        idle = true;
        if (watched.isEmpty() && !closed) {
          LockSupport.park(this);
        }
        idle = false;
      } else {
        long now = System.nanoTime();
        watched.forEach(watchedWait -> watchedWait.cutIfLate(now));
        cutBeyondCap(now);
        LockSupport.parkNanos(this, GRAIN.toNanos());
      }
    }
  }

  /**
   * Of each address at most {@link HttpConfig.SlowClientConfig#perAddress} may wait: the newest.
   */
  private void cutBeyondCap(long now) {
    if (watched.size() <= slowClientConfig.perAddress()) {
      return;
    }
    Map<String, List<WatchedWait>> byAddress = new HashMap<>();
    for (WatchedWait watchedWait : watched) {
      Optional<String> reader = watchedWait.reader;
      if (reader.isPresent() && watchedWait.stalled(now, slowClientConfig.after())) {
        byAddress.computeIfAbsent(reader.get(), _ -> new ArrayList<>()).add(watchedWait);
      }
    }
    for (List<WatchedWait> stalled : byAddress.values()) {
      stalled.sort(Comparator.comparingLong(watchedWait -> watchedWait.since - now));
      stalled
          .subList(0, Math.max(0, stalled.size() - slowClientConfig.perAddress()))
          .forEach(watchedWait -> watchedWait.cut(tooMany));
    }
  }

  /** Connections closed since a client took no byte until the deadline. */
  public long late() {
    return late.sum();
  }

  /** Connections closed since too many of their address were stalled. */
  public long tooMany() {
    return tooMany.sum();
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
