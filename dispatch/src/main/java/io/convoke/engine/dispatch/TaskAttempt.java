package io.convoke.engine.dispatch;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt of a task in a slot of a pod, as its handler sees it.
 *
 * <p>It runs, and is told to stop at most once. Before its own end it may be taken back, which
 * makes its outcome "to be tried again", and it may be lost, after which nothing is told of it.
 */
public final class TaskAttempt {
  private static final Logger log = LoggerFactory.getLogger(TaskAttempt.class);
  private static final int REASON_MAX = 1000;

  /** Why an attempt is given back that could not be begun {@linkplain #beginWithin soon}. */
  public static final String NOT_BEGUN = "its pod did not begin it in time";

  private final TaskScripts at;
  private final Task task;
  private final int slot;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Runnable> listeners = new ArrayList<>();
  private @Nullable Thread thread;
  private boolean stopping;
  private boolean lost;
  private boolean ended;
  private @Nullable String takenBack;

  /** Until when it may run without another renewal, in {@link System#nanoTime()}. */
  private volatile long validUntil;

  /** Until when no other pod is given it, although this one does not renew it. */
  private final long beginUntil;

  /**
   * An attempt that is not begun yet.
   *
   * @param at the place that it was claimed in
   * @param sent when its claim was sent, in {@link System#nanoTime()}
   */
  TaskAttempt(TaskScripts at, Task task, int slot, long sent, DispatchConfig config) {
    this.at = at;
    this.task = task;
    this.slot = slot;
    this.validUntil = sent + config.lease().minus(config.margin()).toNanos();
    this.beginUntil = sent + config.beginWithin().toNanos();
  }

  /** The task as it was claimed, with its payload. */
  public Task task() {
    return task;
  }

  /** The slot of the pod, from 0: seed 004's worker id. */
  public int workerId() {
    return slot;
  }

  /**
   * Within which it may be begun; negative if no more. A pod that hangs loses what it was about to
   * begin to another pod.
   */
  public Duration beginWithin() {
    return Duration.ofNanos(beginUntil - System.nanoTime());
  }

  /** Whether it is to come to an end: somebody wants that, or the lease is lost. */
  public boolean stopping() {
    if (validUntil - System.nanoTime() <= 0) {
      return true;
    }
    lock.lock();
    try {
      return stopping;
    } finally {
      lock.unlock();
    }
  }

  /** Runs when the work is to come to an end, at once if it is already. It must not block. */
  public void onStop(Runnable action) {
    boolean late;
    lock.lock();
    try {
      late = stopping;
      if (!late) {
        listeners.add(action);
      }
    } finally {
      lock.unlock();
    }
    if (late) {
      tell(action);
    }
  }

  /** Where every word about it is said. */
  TaskScripts at() {
    return at;
  }

  TaskLeaseRef held() {
    return new TaskLeaseRef(task.id(), task.fence());
  }

  void renewed(long until) {
    validUntil = until;
  }

  boolean overdue(long nanos) {
    return validUntil - nanos <= 0;
  }

  Duration left(long nanos) {
    return Duration.ofNanos(validUntil - nanos);
  }

  /** Somebody wants the task to stop. */
  void stop() {
    List<Runnable> told = List.of();
    lock.lock();
    try {
      if (!stopping) {
        stopping = true;
        told = List.copyOf(listeners);
      }
    } finally {
      lock.unlock();
    }
    told.forEach(TaskAttempt::tell);
  }

  /**
   * The lease is lost: the work is to end now, and its outcome is nobody's. False if it was before,
   * or if the work has ended: then it is for the word about its end to find out.
   */
  boolean lose() {
    lock.lock();
    try {
      if (lost || ended) {
        return false;
      }
      lost = true;
    } finally {
      lock.unlock();
    }
    interrupt();
    return true;
  }

  /**
   * The pod gives the task back: the work is to end now, and another pod may begin it anew.
   * Whatever its handler says from now on is about work that was cut short: a program that ends
   * cleanly because it was asked to end has not done its task.
   */
  void takeBack(String reason) {
    lock.lock();
    try {
      if (!ended && takenBack == null) {
        takenBack = reason;
      }
    } finally {
      lock.unlock();
    }
    interrupt();
  }

  /** Whether the pod gave it back, however its handler ended. */
  boolean handedBack() {
    lock.lock();
    try {
      return takenBack != null;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Runs the handler; empty if its outcome is not to be told. Nothing is begun late: the pod may
   * have hung since its claim, and somebody else may be at it.
   */
  Optional<AttemptOutcome> run(AttemptHandler attemptHandler) {
    AttemptOutcome attemptOutcome;
    if (overdue(System.nanoTime())) {
      log.warn("the lease on task {} ended before it was begun", task.id());
      return Optional.empty();
    }
    if (beginWithin().isNegative()) {
      takeBack(NOT_BEGUN);
      return Optional.of(new AttemptOutcome.AttemptRetry(NOT_BEGUN));
    }
    bind(Thread.currentThread());
    try {
      attemptOutcome = attemptHandler.run(this);
    } catch (InterruptedException e) {
      attemptOutcome = new AttemptOutcome.AttemptRetry("interrupted");
    } catch (Exception | Error e) {
      // An error that went on would take the slot with it, and its lease would be renewed for ever.
      log.warn("task {} failed", task.id(), e);
      attemptOutcome = new AttemptOutcome.AttemptFailed(e.toString());
    }
    lock.lock();
    try {
      ended = true;
      thread = null;
      // An interrupt that came for the handler is not for those who report.
      boolean _ = Thread.interrupted();
      if (lost) {
        return Optional.empty();
      }
      return Optional.of(
          takenBack == null ? bounded(attemptOutcome) : new AttemptOutcome.AttemptRetry(takenBack));
    } finally {
      lock.unlock();
    }
  }

  private static AttemptOutcome bounded(AttemptOutcome attemptOutcome) {
    return switch (attemptOutcome) {
      case AttemptOutcome.AttemptDone attemptDone -> attemptDone;
      case AttemptOutcome.AttemptFailed(String reason) ->
          new AttemptOutcome.AttemptFailed(cut(reason));
      case AttemptOutcome.AttemptRetry(String reason) ->
          new AttemptOutcome.AttemptRetry(cut(reason));
    };
  }

  private static String cut(String reason) {
    return reason.length() <= REASON_MAX ? reason : reason.substring(0, REASON_MAX);
  }

  private void bind(Thread runner) {
    lock.lock();
    try {
      thread = runner;
      if (lost || takenBack != null) {
        runner.interrupt();
      }
    } finally {
      lock.unlock();
    }
  }

  private void interrupt() {
    stop();
    lock.lock();
    try {
      if (thread != null) {
        thread.interrupt();
      }
    } finally {
      lock.unlock();
    }
  }

  private static void tell(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException | Error e) {
      log.error("a listener for the stop of a task failed", e);
    }
  }
}
