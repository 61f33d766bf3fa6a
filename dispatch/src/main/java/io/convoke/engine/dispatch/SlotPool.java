package io.convoke.engine.dispatch;

import io.convoke.engine.wake.CappedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The slots of a pod and their running attempts. Its lock is never held during a call to other
 * code.
 */
final class SlotPool {
  private final int count;
  private final PodCapacity podCapacity;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final TreeSet<Integer> free = new TreeSet<>();
  private final Map<TaskAttempt, Double> runs = new LinkedHashMap<>();
  private boolean draining;

  /** Whether an operator drains this pod. */
  private RenewResult.DrainSetting setting = RenewResult.DrainSetting.NONE;

  /**
   * Whether the listener waits for messages only, because no slot was free when it started to wait.
   */
  private boolean inboxOnly;

  /** The free slots and capacity of a claim. */
  record FreeCapacity(List<Integer> free, PodCapacity capacity, double left) {}

  SlotPool(int count, PodCapacity podCapacity) {
    this.count = count;
    this.podCapacity = podCapacity;
    for (int slot = 0; slot < count; slot++) {
      boolean _ = free.add(slot);
    }
  }

  int count() {
    return count;
  }

  PodCapacity capacity() {
    return podCapacity;
  }

  FreeCapacity room() {
    lock.lock();
    try {
      double used = runs.values().stream().mapToDouble(Double::doubleValue).sum();
      return new FreeCapacity(
          closed() ? List.of() : List.copyOf(free), podCapacity, podCapacity.whole() - used);
    } finally {
      lock.unlock();
    }
  }

  /** Slots that the pod offers and those that are free; both 0 while draining. */
  int[] offered() {
    lock.lock();
    try {
      return closed() ? new int[] {0, 0} : new int[] {count, free.size()};
    } finally {
      lock.unlock();
    }
  }

  void fill(TaskAttempt run) {
    lock.lock();
    try {
      boolean _ = free.remove(run.workerId());
      runs.put(run, podCapacity.cost(run.task().type()));
    } finally {
      lock.unlock();
    }
  }

  /** Removes an attempt; true if the listener must be told that a slot is free. */
  boolean clear(TaskAttempt run) {
    lock.lock();
    try {
      runs.remove(run);
      boolean _ = free.add(run.workerId());
      changed.signalAll();
      return inboxOnly;
    } finally {
      lock.unlock();
    }
  }

  /** Whether a slot is free; the listener asks before it waits. */
  boolean listensForWork() {
    lock.lock();
    try {
      inboxOnly = closed() || free.isEmpty();
      return !inboxOnly;
    } finally {
      lock.unlock();
    }
  }

  List<TaskAttempt> running() {
    lock.lock();
    try {
      return new ArrayList<>(runs.keySet());
    } finally {
      lock.unlock();
    }
  }

  /** Sets whether an operator drains the pod; returns whether that changed. */
  boolean set(RenewResult.DrainSetting next) {
    lock.lock();
    try {
      boolean changed = setting.drain() != next.drain();
      setting = next;
      return changed && !draining;
    } finally {
      lock.unlock();
    }
  }

  RenewResult.DrainSetting setting() {
    lock.lock();
    try {
      return setting;
    } finally {
      lock.unlock();
    }
  }

  private boolean closed() {
    return draining || setting.drain();
  }

  /** Stops claiming for good. */
  void drain() {
    lock.lock();
    try {
      draining = true;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until no attempt runs; false on timeout. */
  boolean awaitNone(Duration atMost) {
    long left = CappedTime.nanos(atMost);
    lock.lock();
    try {
      while (!runs.isEmpty() && left > 0) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
    return running().isEmpty();
  }
}
