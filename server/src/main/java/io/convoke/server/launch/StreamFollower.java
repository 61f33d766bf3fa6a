package io.convoke.server.launch;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
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

  /** Longer than the opening of a stream that a hung platform never answers. */
  private static final Duration LONG_ENOUGH = Duration.ofSeconds(30);

  private final String name;
  private final FollowedStream followedStream;
  private final LongSupplier nanoTime;
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
    this(name, followedStream, System::nanoTime);
  }

  StreamFollower(String name, FollowedStream followedStream, LongSupplier nanoTime) {
    this.name = name;
    this.followedStream = followedStream;
    this.nanoTime = nanoTime;
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
      long since = nanoTime.getAsLong();
      try {
        followedStream.follow();
        away = false;
      } catch (InterruptedException e) {
        return;
      } catch (Exception | Error e) {
        // Once for each time that it is away; some streams never end without an error.
        if (closing.getCount() > 0 && (!away || lasted(since))) {
          log.warn("{} interrupted; reopening: {}", name, e.toString());
        }
        away = true;
      }
      pause = lasted(since) ? PAUSE_LEAST : min(pause.multipliedBy(2), PAUSE_MOST);
      if (closed(pause)) {
        return;
      }
    }
  }

  private boolean lasted(long since) {
    return nanoTime.getAsLong() - since > LONG_ENOUGH.toNanos();
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
