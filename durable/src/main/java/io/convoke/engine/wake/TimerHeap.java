package io.convoke.engine.wake;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * All timers of a node and the one thread that waits for them. Any thread may add a timer; only
 * that thread removes one, when it fires. It then calls the receiver with the timer's key, so the
 * receiver must not block for long.
 */
public final class TimerHeap<K> implements AutoCloseable {
  private final SharedTimerQueue<K> sharedTimerQueue;
  private final Consumer<K> receiver;
  private final BackgroundLoop thread;

  /**
   * Starts the thread.
   *
   * @param capacity how many timers it keeps; it drops the latest beyond
   * @param receiver receives a key once for all its timers that are due
   */
  public TimerHeap(String name, int capacity, Consumer<K> receiver) {
    this.sharedTimerQueue = new SharedTimerQueue<>(capacity);
    this.receiver = receiver;
    this.thread = BackgroundLoop.start(name, this::waitAndFire);
  }

  /** Fires for a key after a delay; zero or less fires at once. */
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

  /** How often the receiver threw. */
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
      // The other timers fire although the receiver threw.
      due.forEach(key -> after(Duration.ZERO, key));
    }
  }
}
