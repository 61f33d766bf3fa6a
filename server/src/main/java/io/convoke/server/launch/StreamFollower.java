package io.convoke.server.launch;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows a stream of events on its own thread until it is closed. A stream that ends or breaks is
 * reopened, first at once and then with backoff.
 */
public final class StreamFollower implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(StreamFollower.class);
  private static final Duration PAUSE_LEAST = Duration.ofMillis(100);
  private static final Duration PAUSE_MOST = Duration.ofSeconds(5);
  private static final Duration LONG_ENOUGH = Duration.ofSeconds(10);

  private final String name;
  private final FollowedStream followedStream;
  private final AtomicBoolean started = new AtomicBoolean();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;

  /** One stream, from its opening to its end. */
  @FunctionalInterface
  public interface FollowedStream {
    /** Opens the stream, catches up with what was missed, and returns when the stream ends. */
    void follow() throws Exception;
  }

  /** Created, not started. */
  public StreamFollower(String name, FollowedStream followedStream) {
    this.name = name;
    this.followedStream = followedStream;
    this.thread = Thread.ofVirtual().name(name).unstarted(this::run);
  }

  /** Begins, the first time. */
  public void start() {
    if (started.compareAndSet(false, true)) {
      thread.start();
    }
  }

  @Override
  public void close() {
    closing.countDown();
    thread.interrupt();
  }

  private void run() {
    Duration pause = PAUSE_LEAST;
    boolean away = false;
    while (closing.getCount() > 0) {
      long since = System.nanoTime();
      try {
        followedStream.follow();
        away = false;
      } catch (InterruptedException e) {
        return;
      } catch (Exception | Error e) {
        if (closing.getCount() > 0 && !away) {
          log.warn("{} interrupted; reopening: {}", name, e.toString());
        }
        away = true;
      }
      boolean lasted = System.nanoTime() - since > LONG_ENOUGH.toNanos();
      pause = lasted ? PAUSE_LEAST : min(pause.multipliedBy(2), PAUSE_MOST);
      if (closed(pause)) {
        return;
      }
    }
  }

  private boolean closed(Duration wait) {
    try {
      return closing.await(wait.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      return true;
    }
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }
}
