package io.convoke.server.webhooks;

import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.Waiter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts lanes again when a message that failed is to be tried again. A lane that this node has
 * left wakes it in time; those of a node that died are found within a minute.
 */
final class LaneWaker implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LaneWaker.class);
  private static final Duration IDLE = Duration.ofMinutes(1);
  private static final Duration STORE_RETRY = Duration.ofSeconds(2);

  /** Until the last node of an older release is gone, it may add streams and start no lane. */
  private static final Duration FORGOTTEN_EVERY = Duration.ofMinutes(10);

  private final LaneStore lanes;
  private final Waiter waiter = new Waiter();

  /** When to look, on the monotonic clock. */
  private final AtomicLong next = new AtomicLong(System.nanoTime());

  private long forgottenAt = System.nanoTime();

  LaneWaker(LaneStore lanes) {
    this.lanes = lanes;
  }

  void start() {
    var _ = Thread.ofVirtual().name("webhook-lane-waker").start(this::run);
  }

  /** A lane without a holder has a message that is due then. */
  void wakeAfter(Duration wait) {
    long at = System.nanoTime() + wait.toNanos();
    long before = next.getAndUpdate(known -> at - known < 0 ? at : known);
    if (at - before < 0) {
      waiter.wake();
    }
  }

  @Override
  public void close() {
    waiter.close();
  }

  private void run() {
    try {
      while (waiter.await(Duration.ofNanos(Math.max(0, next.get() - System.nanoTime())))) {
        if (next.get() - System.nanoTime() <= 0) {
          look();
        }
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private void look() {
    next.set(System.nanoTime() + IDLE.toNanos());
    try {
      if (forgottenAt - System.nanoTime() <= 0) {
        lanes.startForgotten();
        forgottenAt = System.nanoTime() + FORGOTTEN_EVERY.toNanos();
      }
      lanes.wakeDue().ifPresent(this::wakeAfter);
    } catch (StoreUnavailable | SqlFailure away) {
      log.info("webhooks that failed wait for the database: {}", away.getMessage());
      wakeAfter(STORE_RETRY);
    } catch (RuntimeException | Error bug) {
      log.error("looking for webhooks to try again failed; the next look is in 2 s", bug);
      wakeAfter(STORE_RETRY);
    }
  }
}
