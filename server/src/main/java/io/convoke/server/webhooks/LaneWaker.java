package io.convoke.server.webhooks;

import io.convoke.server.loop.PeriodicTask;
import io.convoke.server.webhooks.LaneStore.WaitingLanes;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Starts lanes when a retry is due. Lanes released on this node are woken on time; those of a dead
 * node, and those whose workflow was cancelled or has failed, are found within a minute.
 */
final class LaneWaker implements AutoCloseable {
  private static final Duration IDLE = Duration.ofMinutes(1);
  private static final Duration STORE_RETRY = Duration.ofSeconds(2);

  /** During an upgrade, nodes of the older release may add streams without starting their lane. */
  private static final Duration FORGOTTEN_EVERY = Duration.ofMinutes(10);

  private final LaneStore lanes;
  private final PeriodicTask task =
      new PeriodicTask("webhook-lane-waker", this::retry, this::round);

  /** Time of the next scan, on the monotonic clock. */
  private final AtomicLong next = new AtomicLong(System.nanoTime());

  /** Time of the next scan for lanes whose workflow has ended. */
  private long endedAt = System.nanoTime();

  private long forgottenAt = System.nanoTime();

  LaneWaker(LaneStore lanes) {
    this.lanes = lanes;
  }

  void start() {
    task.start();
  }

  /** Schedules a scan: a lane without a holder has a message due after {@code wait}. */
  void wakeAfter(Duration wait) {
    long at = System.nanoTime() + wait.toNanos();
    long before = next.getAndUpdate(known -> at - known < 0 ? at : known);
    if (at - before < 0) {
      task.wake();
    }
  }

  @Override
  public void close() {
    task.close();
  }

  private Duration round() {
    long now = System.nanoTime();
    if (next.get() - now <= 0) {
      next.set(now + IDLE.toNanos());
      if (forgottenAt - now <= 0) {
        lanes.startForgotten();
        forgottenAt = now + FORGOTTEN_EVERY.toNanos();
      }
      boolean looksForEnded = endedAt - now <= 0;
      WaitingLanes waiting = lanes.wakeDue(looksForEnded);
      if (waiting.held()) {
        lanes.releaseEnded();
        waiting = lanes.wakeDue(false);
      }
      if (looksForEnded) {
        endedAt = now + IDLE.toNanos();
      }
      waiting.next().ifPresent(this::wakeAfter);
    }
    return Duration.ofNanos(Math.max(0, next.get() - System.nanoTime()));
  }

  /** The wait after a failed scan, which is due again then. */
  private Duration retry() {
    wakeAfter(STORE_RETRY);
    return STORE_RETRY;
  }
}
