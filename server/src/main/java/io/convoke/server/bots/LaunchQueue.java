package io.convoke.server.bots;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

/**
 * The launch queue of this node: rows in work, rows with a start time, rows to be checked again. No
 * two threads work on one row; a wake-up meanwhile causes another check, and a wake-up for a row
 * that waits for its start time ends the wait, since the time may have changed.
 */
final class LaunchQueue implements AutoCloseable {
  /** Timers wake a fraction late rather than early: early finds nothing due. */
  private static final Duration AFTER = Duration.ofMillis(5);

  /** Two timers for the same moment are the same. */
  private static final Duration SLACK = Duration.ofMillis(100);

  /** Checks a row, and returns when to check it again, if known. */
  interface LaunchCheck extends LongFunction<Optional<Duration>> {}

  private final LaunchCheck launchCheck;

  /** Guarded by this, as are its values. */
  private final Map<Long, QueuedLaunch> rows = new HashMap<>();

  /** Guarded by this. */
  private boolean closed;

  LaunchQueue(LaunchCheck launchCheck) {
    this.launchCheck = launchCheck;
  }

  /** The state of a row that is in work or waits. */
  private static final class QueuedLaunch {
    private final CountDownLatch now = new CountDownLatch(1);
    private final long due;
    private boolean waits;
    private boolean again;

    QueuedLaunch(Duration wait) {
      this.due = System.nanoTime() + wait.toNanos();
      this.waits = wait.isPositive();
    }

    boolean waitsBeyond(Duration wait) {
      return waits && due - System.nanoTime() > wait.plus(SLACK).toNanos();
    }
  }

  /** Queues a row. */
  void wake(long meetingId) {
    begin(meetingId, Duration.ZERO);
  }

  /** Queues a row for a later time; a wake-up queues it earlier. */
  void wakeIn(long meetingId, Duration time) {
    begin(meetingId, time);
  }

  /** Starts no further check. */
  @Override
  public synchronized void close() {
    closed = true;
    rows.values().forEach(queuedLaunch -> queuedLaunch.now.countDown());
  }

  private synchronized void begin(long meetingId, Duration wait) {
    QueuedLaunch known = rows.get(meetingId);
    if (closed) {
      return;
    }
    if (known == null) {
      QueuedLaunch queuedLaunch = new QueuedLaunch(wait);
      rows.put(meetingId, queuedLaunch);
      var _ =
          Thread.ofVirtual()
              .name("launch-" + meetingId)
              .start(() -> run(meetingId, queuedLaunch, wait));
    } else if (known.waitsBeyond(wait)) {
      known.now.countDown();
    } else if (!known.waits && !wait.isPositive()) {
      known.again = true;
    }
  }

  private void run(long meetingId, QueuedLaunch queuedLaunch, Duration wait) {
    try {
      if (wait.isPositive()) {
        boolean _ = queuedLaunch.now.await(wait.plus(AFTER).toNanos(), TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (stopsWaiting(queuedLaunch)) {
      Optional<Duration> next = Optional.empty();
      try {
        next = launchCheck.apply(meetingId);
      } finally {
        end(meetingId, queuedLaunch, next);
      }
    }
  }

  private synchronized boolean stopsWaiting(QueuedLaunch queuedLaunch) {
    queuedLaunch.waits = false;
    return !closed;
  }

  private synchronized void end(
      long meetingId, QueuedLaunch queuedLaunch, Optional<Duration> next) {
    rows.remove(meetingId);
    if (queuedLaunch.again) {
      wake(meetingId);
    } else {
      next.ifPresent(wait -> wakeIn(meetingId, wait));
    }
  }
}
