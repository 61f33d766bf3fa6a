package io.convoke.server.webhooks;

import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.Waiter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts lanes when a retry is due. Lanes released on this node are woken on time; those of a dead
 * node are found within a minute.
 */
final class LaneWaker implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LaneWaker.class);
  private static final Duration IDLE = Duration.ofMinutes(1);
  private static final Duration STORE_RETRY = Duration.ofSeconds(2);

  /** During an upgrade, nodes of the older release may add streams without starting their lane. */
  private static final Duration FORGOTTEN_EVERY = Duration.ofMinutes(10);

  private final LaneStore lanes;
  private final Waiter waiter = new Waiter();

  /** Time of the next scan, on the monotonic clock. */
  private final AtomicLong next = new AtomicLong(System.nanoTime());

  private long forgottenAt = System.nanoTime();

  LaneWaker(LaneStore lanes) {
    this.lanes = lanes;
  }

  void start() {
    var _ = Thread.ofVirtual().name("webhook-lane-waker").start(this::run);
  }

  /** Schedules a scan: a lane without a holder has a message due after {@code wait}. */
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
      log.info("Webhook retries: database error, retrying: {}", away.getMessage());
      wakeAfter(STORE_RETRY);
    } catch (RuntimeException | Error bug) {
      log.error("Scan for due webhook retries failed; next scan in 2 s", bug);
      wakeAfter(STORE_RETRY);
    }
  }
}
