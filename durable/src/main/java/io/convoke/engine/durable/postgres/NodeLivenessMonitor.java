package io.convoke.engine.durable.postgres;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Schedules scans for dead nodes, and notifies others when this node holds locks. Nodes scan a few
 * times a second while another node holds locks, and not otherwise. So a node that holds locks
 * which were not announced notifies the others, at most once per {@link #TELL}.
 *
 * <p>After each such notification other nodes scan at {@link #LOOK} or later, which is longer than
 * TELL: the scan also sees locks whose notification was suppressed by the throttle.
 */
final class NodeLivenessMonitor {
  static final Duration TELL = Duration.ofMillis(100);
  private static final Duration LOOK = Duration.ofMillis(200);

  /** The pause after a scan is this multiple of its duration, */
  static final int SHARE = 20;

  /** but a death is noticed within about a second however large the queues are. */
  private static final Duration MOST = Duration.ofSeconds(1);

  /** Schedules a call after a delay. */
  interface DelayedCall {
    void at(Duration wait);
  }

  private final DelayedCall look;
  private final DelayedCall tellAgain;
  private final Runnable tell;
  private final AtomicBoolean looks = new AtomicBoolean();
  private final AtomicBoolean looksAgain = new AtomicBoolean();
  private final AtomicBoolean told = new AtomicBoolean();
  private final AtomicBoolean unsaid = new AtomicBoolean();

  /**
   * A monitor without scheduled scans.
   *
   * @param look must lead to {@link #looking}
   * @param tellAgain must lead to {@link #allowNotification}
   * @param tell notifies other nodes
   */
  NodeLivenessMonitor(DelayedCall look, DelayedCall tellAgain, Runnable tell) {
    this.look = look;
    this.tellAgain = tellAgain;
    this.tell = tell;
  }

  /** Another node holds locks, or may: schedules a scan after LOOK. */
  void onNotification() {
    if (looks.compareAndSet(false, true)) {
      look.at(LOOK);
    } else {
      looksAgain.set(true);
    }
  }

  /** The scheduled scan begins. */
  void looking() {
    looks.set(false);
  }

  /** A scan has ended; another follows if other nodes hold locks or notified meanwhile. */
  void onScanCompleted(Duration took, boolean othersHold) {
    boolean again = looksAgain.getAndSet(false);
    if ((othersHold || again) && looks.compareAndSet(false, true)) {
      long pause = Math.clamp(took.multipliedBy(SHARE).toNanos(), LOOK.toNanos(), MOST.toNanos());
      look.at(Duration.ofNanos(pause));
    }
  }

  /** This node holds locks that were not announced to others. */
  void onLocksHeld() {
    while (true) {
      if (told.compareAndSet(false, true)) {
        tellAgain.at(TELL);
        tell.run();
        return;
      }
      unsaid.set(true);
      if (told.get()) {
        return;
      }
    }
  }

  void allowNotification() {
    told.set(false);
    if (unsaid.getAndSet(false)) {
      onLocksHeld();
    }
  }
}
