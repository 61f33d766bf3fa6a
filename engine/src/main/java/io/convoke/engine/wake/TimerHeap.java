package io.convoke.engine.wake;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * All timers of a node and the one thread that waits for them. Anybody may add a timer; only the
 * owner removes one, when it fires. A timer that fires calls the receiver with its key, on the
 * owner's thread, so the receiver must not block for long.
 *
 * <p>The seed kept the earliest instant of each queue in an atomic that dispatchers, listener and
 * timer task all wrote: an unrelated fetch wiped it, a later timer was forgotten behind an earlier
 * one, and a store in between a load and a reset was lost. None of that has a place to happen here.
 */
public final class TimerHeap<K> implements AutoCloseable {
  private final TimerQueue<K> timers;
  private final Consumer<K> receiver;
  private final Supervised thread;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition earlier = lock.newCondition();
  private boolean closed;

  /**
   * Starts the owner.
   *
   * @param capacity so many timers are kept; the latest of too many are dropped
   * @param receiver is told the key of what is due, once for all timers of a key that are due
   */
  public TimerHeap(String name, int capacity, Consumer<K> receiver) {
    this.timers = new TimerQueue<>(capacity);
    this.receiver = receiver;
    this.thread = Supervised.start(name, this::waitAndFire);
  }

  /** Fires for a key after a while; zero or less fires at once. */
  public void after(Duration wait, K key) {
    at(System.nanoTime() + wait.toNanos(), key);
  }

  /** Fires for a key at an instant of {@link System#nanoTime()}. */
  public void at(long due, K key) {
    lock.lock();
    try {
      if (!closed && timers.add(key, due)) {
        earlier.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Timers that have not fired. */
  public int size() {
    lock.lock();
    try {
      return timers.size();
    } finally {
      lock.unlock();
    }
  }

  /** How often the owner had to be started again; anything but zero is a bug of a receiver. */
  public long restarts() {
    return thread.restarts();
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      earlier.signalAll();
    } finally {
      lock.unlock();
    }
    thread.close();
  }

  private void waitAndFire() throws InterruptedException {
    for (K key : awaitDue()) {
      receiver.accept(key);
    }
  }

  private List<K> awaitDue() throws InterruptedException {
    lock.lock();
    try {
      while (!closed) {
        List<K> due = timers.takeDue(System.nanoTime());
        if (!due.isEmpty()) {
          return due;
        }
        OptionalLong earliest = timers.earliest();
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
}
