package io.convoke.engine.dispatch;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt of a task in a slot of a pod, as its handler sees it.
 *
 * <p>It receives at most one stop request. Before it ends, the pod may take it back, which hands
 * the task back whatever its outcome, or it may lose its lease, after which no outcome is reported.
 */
public final class TaskAttempt {
  private static final Logger log = LoggerFactory.getLogger(TaskAttempt.class);

  /** Most characters of a reason. */
  private static final int REASON_MAX = 1000;

  private static final AttemptOutcome NO_OUTCOME =
      new AttemptOutcome.AttemptFailed("its handler returned no outcome");

  /**
   * Reason of an attempt that was handed back: it could not start {@linkplain #beginWithin in
   * time}.
   */
  public static final String NOT_BEGUN = "its pod did not start it in time";

  private final TaskScripts at;
  private final Task task;
  private final int slot;
  private final Duration lease;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Runnable> listeners = new ArrayList<>();
  private @Nullable Thread thread;
  private boolean stopping;
  private boolean lost;
  private boolean ended;
  private @Nullable String takenBack;

  /** Until when it may run without another renewal, in {@link System#nanoTime()}. */
  private volatile long validUntil;

  /** Until when Redis gives it to no other pod without a renewal. */
  private final long beginUntil;

  /**
   * Creates an attempt that has not started.
   *
   * @param at the scripts of its key space
   * @param sent when its claim was sent, in {@link System#nanoTime()}
   */
  TaskAttempt(TaskScripts at, Task task, int slot, long sent, DispatchConfig config) {
    this.at = at;
    this.task = task;
    this.slot = slot;
    this.lease = config.lease();
    this.validUntil = sent + config.lease().minus(config.margin()).toNanos();
    this.beginUntil = sent + config.beginWithin().toNanos();
  }

  /** The task as claimed, with its payload. */
  public Task task() {
    return task;
  }

  /** The slot of the pod, from 0; the task's {@code worker_id}. */
  public int workerId() {
    return slot;
  }

  /**
   * Time left to start the work; negative if it is over. A pod that hangs loses a task that it has
   * not started.
   */
  public Duration beginWithin() {
    return Duration.ofNanos(beginUntil - System.nanoTime());
  }

  /** Whether the work should end: a stop was requested or the lease is lost. */
  public boolean stopping() {
    if (overdue(System.nanoTime())) {
      return true;
    }
    lock.lock();
    try {
      return stopping;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Registers an action that runs when the work should end, at once if that is already so. It must
   * not block.
   */
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

  /** The scripts of its key space. */
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

  /**
   * Whether its outcome is reported again if Redis cannot decide yet: for one lease longer than it
   * may run. A rebuilt Redis keeps a running task for the pod that had it.
   */
  boolean reportable(long nanos) {
    return validUntil + lease.toNanos() - nanos > 0;
  }

  Duration left(long nanos) {
    return Duration.ofNanos(validUntil - nanos);
  }

  /** Requests the work to end. */
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
   * Marks the lease as lost: interrupts the work and discards its outcome. False if it was lost
   * before or the work has ended; then the report finds out.
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
   * Returns the task: interrupts the work so that another pod may start it anew. The handler's
   * outcome is ignored from now on: a program that exits cleanly because it was told to stop has
   * not done its task.
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

  /**
   * Runs the handler; empty if no outcome is to be reported. Late work is not started: after a
   * pause of this pod another one may run the task.
   */
  Optional<AttemptOutcome> run(AttemptHandler attemptHandler) {
    AttemptOutcome attemptOutcome;
    if (overdue(System.nanoTime())) {
      log.warn("Lease of task {} ended before the task started", task.id());
      return Optional.empty();
    }
    if (beginWithin().isNegative()) {
      return Optional.of(new AttemptOutcome.AttemptHandedBack(NOT_BEGUN));
    }
    bind(Thread.currentThread());
    try {
      attemptOutcome = Objects.requireNonNullElse(attemptHandler.run(this), NO_OUTCOME);
    } catch (InterruptedException e) {
      attemptOutcome = new AttemptOutcome.AttemptRetry("interrupted");
    } catch (Exception | Error e) {
      // A propagated error would leave the task without an outcome until its lease ends.
      log.warn("Task {} failed", task.id(), e);
      attemptOutcome = new AttemptOutcome.AttemptFailed(e.toString());
    }
    lock.lock();
    try {
      ended = true;
      thread = null;
      // The interrupt was for the handler, not for the report that follows.
      boolean _ = Thread.interrupted();
      if (lost) {
        return Optional.empty();
      }
      return Optional.of(
          takenBack == null
              ? bounded(attemptOutcome)
              : new AttemptOutcome.AttemptHandedBack(takenBack));
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
      case AttemptOutcome.AttemptHandedBack(String reason) ->
          new AttemptOutcome.AttemptHandedBack(cut(reason));
    };
  }

  private static String cut(String reason) {
    String storable = TaskTransition.storable(reason);
    int kept = Math.min(REASON_MAX, storable.codePointCount(0, storable.length()));
    return storable.substring(0, storable.offsetByCodePoints(0, kept));
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
      log.error("A stop listener of a task failed", e);
    }
  }
}
