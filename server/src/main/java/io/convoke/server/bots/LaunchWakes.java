package io.convoke.server.bots;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

/**
 * Which rows this node looks at now, which later, and which once more. A row is never looked at by
 * two threads; a wake that comes meanwhile is not lost but makes it looked at again, and one for a
 * row that waits for its time ends the wait, since its time may have moved.
 */
final class LaunchWakes implements AutoCloseable {
  /** Timers wake a fraction late rather than early: early finds nothing due. */
  private static final Duration AFTER = Duration.ofMillis(5);

  /** Two timers for the same moment are the same. */
  private static final Duration SLACK = Duration.ofMillis(100);

  /** Looks at a row, and answers when it should be looked at again, if that is known. */
  interface Look extends LongFunction<Optional<Duration>> {}

  private final Look look;

  /** Guarded by this, as are its values. */
  private final Map<Long, Row> rows = new HashMap<>();

  /** Guarded by this. */
  private boolean closed;

  LaunchWakes(Look look) {
    this.look = look;
  }

  /** What is known of a row that is looked at or waits. */
  private static final class Row {
    private final CountDownLatch now = new CountDownLatch(1);
    private final long due;
    private boolean waits;
    private boolean again;

    Row(Duration wait) {
      this.due = System.nanoTime() + wait.toNanos();
      this.waits = wait.isPositive();
    }

    boolean waitsBeyond(Duration wait) {
      return waits && due - System.nanoTime() > wait.plus(SLACK).toNanos();
    }
  }

  /** Looks at a row soon. */
  void wake(long meetingId) {
    begin(meetingId, Duration.ZERO);
  }

  /** Looks at a row when the time has passed, or at a wake before that. */
  void wakeIn(long meetingId, Duration time) {
    begin(meetingId, time);
  }

  /** Begins no further look. */
  @Override
  public synchronized void close() {
    closed = true;
    rows.values().forEach(row -> row.now.countDown());
  }

  private synchronized void begin(long meetingId, Duration wait) {
    Row known = rows.get(meetingId);
    if (closed) {
      return;
    }
    if (known == null) {
      Row row = new Row(wait);
      rows.put(meetingId, row);
      var _ = Thread.ofVirtual().name("launch-" + meetingId).start(() -> run(meetingId, row, wait));
    } else if (known.waitsBeyond(wait)) {
      known.now.countDown();
    } else if (!known.waits && !wait.isPositive()) {
      known.again = true;
    }
  }

  private void run(long meetingId, Row row, Duration wait) {
    try {
      if (wait.isPositive()) {
        boolean _ = row.now.await(wait.plus(AFTER).toNanos(), TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (stopsWaiting(row)) {
      Optional<Duration> next = Optional.empty();
      try {
        next = look.apply(meetingId);
      } finally {
        end(meetingId, row, next);
      }
    }
  }

  private synchronized boolean stopsWaiting(Row row) {
    row.waits = false;
    return !closed;
  }

  private synchronized void end(long meetingId, Row row, Optional<Duration> next) {
    rows.remove(meetingId);
    if (row.again) {
      wake(meetingId);
    } else {
      next.ifPresent(wait -> wakeIn(meetingId, wait));
    }
  }
}
