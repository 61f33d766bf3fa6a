package io.convoke.engine.durable.runtime;

import io.convoke.engine.wake.TimerHeap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The alarms of the attempts that run now: renewals, timeouts, missing heartbeats. A timer of its
 * own for each attempt would outlive it: an attempt ends within milliseconds, its first renewal is
 * due in seconds, so a busy node would keep a hundred thousand of them. Here one timer stands for
 * the earliest alarm of all.
 */
final class AttemptTimers implements AutoCloseable {
  private static final int TIMERS_MAX = 10_000;

  /** Longer than a process runs, and well within a long's nanoseconds. */
  private static final Duration WAIT_MAX = Duration.ofDays(36_500);

  private final Set<WatchedAttempt> running = ConcurrentHashMap.newKeySet();
  private final TimerHeap<Boolean> timer =
      new TimerHeap<>("durable-activities", TIMERS_MAX, _ -> ring());

  /** Whether a timer is set, and the earliest for which one is; guarded by this. */
  private boolean set;

  private long earliest;

  private record Alarm(long due, Runnable action) {}

  /** An attempt has begun; it ends with {@link WatchedAttempt#close}. */
  WatchedAttempt begin() {
    WatchedAttempt attempt = new WatchedAttempt();
    boolean _ = running.add(attempt);
    return attempt;
  }

  @Override
  public void close() {
    timer.close();
  }

  private synchronized void setFor(long due) {
    if (!set || due - earliest < 0) {
      set = true;
      earliest = due;
      timer.at(due, true);
    }
  }

  private synchronized void unset() {
    set = false;
  }

  /** Runs the alarms that are due, each on a thread of its own. */
  private void ring() {
    unset();
    long now = System.nanoTime();
    for (WatchedAttempt attempt : running) {
      attempt
          .takeDue(now)
          .forEach(action -> Thread.ofVirtual().name("activity-watch").start(action));
    }
  }

  /** The alarms of one attempt. */
  final class WatchedAttempt implements AutoCloseable {
    private final List<Alarm> alarms = new ArrayList<>(2);

    private WatchedAttempt() {}

    /** Runs an action after a time, unless the attempt has ended by then. */
    void after(Duration wait, Runnable action) {
      Duration bounded = wait.compareTo(WAIT_MAX) < 0 ? wait : WAIT_MAX;
      long due = System.nanoTime() + bounded.toNanos();
      synchronized (this) {
        boolean _ = alarms.add(new Alarm(due, action));
      }
      setFor(due);
    }

    /** Removes the actions that are due, and sets the timer for the others. */
    private synchronized List<Runnable> takeDue(long now) {
      List<Runnable> due = new ArrayList<>();
      for (Iterator<Alarm> each = alarms.iterator(); each.hasNext(); ) {
        Alarm alarm = each.next();
        if (alarm.due - now <= 0) {
          boolean _ = due.add(alarm.action);
          each.remove();
        } else {
          setFor(alarm.due);
        }
      }
      return due;
    }

    @Override
    public void close() {
      boolean _ = running.remove(this);
    }
  }
}
