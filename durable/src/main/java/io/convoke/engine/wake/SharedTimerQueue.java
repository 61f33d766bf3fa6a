package io.convoke.engine.wake;

import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A {@link TimerQueue} that any thread may add to while its owner waits for the earliest timer.
 * Only the owner removes timers, when they are due, so none is lost.
 */
final class SharedTimerQueue<K> {
  private final TimerQueue<K> queue;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition earlier = lock.newCondition();
  private boolean closed;

  SharedTimerQueue(int capacity) {
    this.queue = new TimerQueue<>(capacity);
  }

  /** Adds a timer for an instant of the monotonic clock; the owner wakes if it is the earliest. */
  void add(K key, long due) {
    lock.lock();
    try {
      if (!closed && queue.add(key, due)) {
        earlier.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Removes the timers that are due at an instant, and returns their keys, each once. */
  List<K> takeDue(long now) {
    lock.lock();
    try {
      return queue.takeDue(now);
    } finally {
      lock.unlock();
    }
  }

  /** Waits until a timer is due and removes all that are; empty once closed. */
  List<K> awaitDue() throws InterruptedException {
    lock.lock();
    try {
      while (!closed) {
        List<K> due = takeDue(System.nanoTime());
        if (!due.isEmpty()) {
          return due;
        }
        OptionalLong earliest = queue.earliest();
        if (earliest.isEmpty()) {
          earlier.await();
        } else {
          long _ = earlier.awaitNanos(earliest.getAsLong() - System.nanoTime());
        }
      }
      return List.of();
    } finally {
      lock.unlock();
    }
  }

  int size() {
    lock.lock();
    try {
      return queue.size();
    } finally {
      lock.unlock();
    }
  }

  void close() {
    lock.lock();
    try {
      closed = true;
      earlier.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
