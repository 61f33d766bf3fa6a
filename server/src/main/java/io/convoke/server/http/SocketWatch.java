package io.convoke.server.http;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Bounds how long a thread waits for a client's socket, since the web server sets no timeout of its
 * own. Interrupting a virtual thread that is blocked in socket I/O closes its socket, so the one
 * slow client is cut and nobody else notices.
 *
 * <p>Beginning and ending a watch is one insertion and one removal, cheap enough for every request.
 * One thread looks over what is watched each {@link #GRAIN}; with nothing to watch it sleeps.
 */
final class SocketWatch implements AutoCloseable {
  static final Duration GRAIN = Duration.ofMillis(250);

  /** A wait under way; ended exactly once, by its owner or by the clock. */
  static final class Watching {
    private final SocketWatch watch;
    private final Thread thread = Thread.currentThread();
    private final long deadline;
    private final AtomicBoolean over = new AtomicBoolean();

    private Watching(SocketWatch watch, long deadline) {
      this.watch = watch;
      this.deadline = deadline;
    }

    /** The wait is over; false if the clock was first, and the socket is closed or about to be. */
    boolean end() {
      watch.watched.remove(this);
      return over.compareAndSet(false, true);
    }

    private void cutIfLate(long now) {
      if (now - deadline > 0 && over.compareAndSet(false, true)) {
        watch.watched.remove(this);
        thread.interrupt();
      }
    }
  }

  private final Set<Watching> watched = ConcurrentHashMap.newKeySet();
  private final Thread thread;
  private volatile boolean idle;
  private volatile boolean closed;

  SocketWatch() {
    this.thread = Thread.ofPlatform().daemon().name("http-socket-watch").start(this::run);
  }

  /** Watches the calling thread; it is interrupted unless the watch is ended in time. */
  Watching begin(Duration atMost) {
    Watching watching = new Watching(this, System.nanoTime() + atMost.toNanos());
    watched.add(watching);
    if (idle) {
      LockSupport.unpark(thread);
    }
    return watching;
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
        watched.forEach(watching -> watching.cutIfLate(now));
        LockSupport.parkNanos(this, GRAIN.toNanos());
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
