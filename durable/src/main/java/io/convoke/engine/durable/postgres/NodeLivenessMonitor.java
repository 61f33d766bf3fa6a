package io.convoke.engine.durable.postgres;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Decides when a node scans for dead nodes, when it notifies others that it holds locks, and which
 * nodes are dead. Nodes scan a few times a second while another node holds locks, and not
 * otherwise. So a node that holds locks which were not announced notifies the others, at most once
 * per {@link #NOTIFY_INTERVAL}.
 *
 * <p>After each such notification other nodes scan at {@link #SCAN_DELAY} or later, which is longer
 * than the interval: the scan also sees locks whose notification was suppressed by the throttle.
 *
 * <p>A session that broke is replaced within a fraction of a second; only a node without a session
 * for longer than a grace is dead. Where sessions of many nodes broke at once, as in a restart of
 * Postgres, they take longer to reconnect.
 */
final class NodeLivenessMonitor {
  private static final Duration NOTIFY_INTERVAL = Duration.ofMillis(100);
  private static final Duration SCAN_DELAY = Duration.ofMillis(200);

  /** The pause after a scan is this multiple of its duration, */
  static final int SHARE = 20;

  /** but a death is noticed within about a second however large the queues are. */
  private static final Duration SCAN_DELAY_MAX = Duration.ofSeconds(1);

  /** A listener's first reconnect takes 0.2 s at most, and then as long as Postgres needs. */
  static final Duration GRACE = Duration.ofSeconds(1);

  /** A listener that could not connect for a while retries after 2 s at most. */
  static final Duration GRACE_AFTER_BREAK = Duration.ofSeconds(6);

  /** Schedules a call after a delay. */
  interface DelayedCall {
    void after(Duration delay);
  }

  private final DelayedCall scan;
  private final DelayedCall notifyAgain;
  private final Runnable notifyOthers;
  private final AtomicBoolean scanScheduled = new AtomicBoolean();
  private final AtomicBoolean scanAgain = new AtomicBoolean();
  private final AtomicBoolean notified = new AtomicBoolean();
  private final AtomicBoolean notificationDue = new AtomicBoolean();

  /** Since when nodes that hold locks have had no session; used by the scanning thread alone. */
  private final Map<Integer, Long> absentSince = new HashMap<>();

  /**
   * A monitor without scheduled scans.
   *
   * @param scan must lead to {@link #onScanDue}
   * @param notifyAgain must lead to {@link #allowNotification}
   * @param notifyOthers notifies other nodes
   */
  NodeLivenessMonitor(DelayedCall scan, DelayedCall notifyAgain, Runnable notifyOthers) {
    this.scan = scan;
    this.notifyAgain = notifyAgain;
    this.notifyOthers = notifyOthers;
  }

  /** Another node holds locks, or may: schedules a scan. */
  void onNotification() {
    if (scanScheduled.compareAndSet(false, true)) {
      scan.after(SCAN_DELAY);
    } else {
      scanAgain.set(true);
    }
  }

  /** The scheduled scan begins. */
  void onScanDue() {
    scanScheduled.set(false);
  }

  /** A scan has ended; another follows if other nodes hold locks or notified meanwhile. */
  void onScanCompleted(Duration took, boolean othersHold) {
    boolean again = scanAgain.getAndSet(false);
    if ((othersHold || again) && scanScheduled.compareAndSet(false, true)) {
      long pause =
          Math.clamp(
              took.multipliedBy(SHARE).toNanos(), SCAN_DELAY.toNanos(), SCAN_DELAY_MAX.toNanos());
      scan.after(Duration.ofNanos(pause));
    }
  }

  /** This node holds locks that were not announced to others. */
  void onLocksHeld() {
    while (true) {
      if (notified.compareAndSet(false, true)) {
        notifyAgain.after(NOTIFY_INTERVAL);
        notifyOthers.run();
        return;
      }
      notificationDue.set(true);
      if (notified.get()) {
        return;
      }
    }
  }

  void allowNotification() {
    notified.set(false);
    if (notificationDue.getAndSet(false)) {
      onLocksHeld();
    }
  }

  /**
   * Whether a node that has no session has been without one for the grace; scanning thread only.
   */
  boolean isDead(int node, long now, Duration grace) {
    Long first = absentSince.putIfAbsent(node, now);
    return first != null && now - first >= grace.toNanos();
  }

  /** Forgets all nodes but these, which still have no session; scanning thread only. */
  void keepAbsent(Set<Integer> absent) {
    boolean _ = absentSince.keySet().retainAll(absent);
  }
}
