package io.convoke.engine.wake;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
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
  private final SharedTimerQueue<K> sharedTimerQueue;
  private final Consumer<K> receiver;
  private final BackgroundLoop thread;

  /**
   * Starts the owner.
   *
   * @param capacity so many timers are kept; the latest of too many are dropped
   * @param receiver is told the key of what is due, once for all timers of a key that are due
   */
  public TimerHeap(String name, int capacity, Consumer<K> receiver) {
    this.sharedTimerQueue = new SharedTimerQueue<>(capacity);
    this.receiver = receiver;
    this.thread = BackgroundLoop.start(name, this::waitAndFire);
  }

  /** Fires for a key after a while; zero or less fires at once. */
  public void after(Duration wait, K key) {
    at(System.nanoTime() + wait.toNanos(), key);
  }

  /** Fires for a key at an instant of {@link System#nanoTime()}. */
  public void at(long due, K key) {
    sharedTimerQueue.add(key, due);
  }

  /** Timers that have not fired. */
  public int size() {
    return sharedTimerQueue.size();
  }

  /** How often the owner had to be started again; anything but zero is a bug of a receiver. */
  public long restarts() {
    return thread.restarts();
  }

  @Override
  public void close() {
    sharedTimerQueue.close();
    thread.close();
  }

  private void waitAndFire() throws InterruptedException {
    Queue<K> due = new ArrayDeque<>(sharedTimerQueue.awaitDue());
    try {
      while (!due.isEmpty()) {
        receiver.accept(due.remove());
      }
    } finally {
      // A receiver that fails takes no other timer with it.
      due.forEach(key -> after(Duration.ZERO, key));
    }
  }
}
