package io.convoke.engine.wake;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A bounded channel of wake tokens with many senders and many receivers; a token goes to one
 * receiver, in FIFO order.
 *
 * <p>A token that does not fit is dropped, which is safe: a full channel holds a token that is not
 * yet taken, and its receiver polls after the drop. So a capacity of one loses no wake-up; a larger
 * one lets several receivers start at once.
 */
public final class WakeChannel implements WakeTokens, AutoCloseable {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition filled = lock.newCondition();
  private final int capacity;
  private int tokens;
  private int waiting;
  private boolean closed;
  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong announced = new AtomicLong();

  public WakeChannel(int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("the capacity must be at least 1, not " + capacity);
    }
    this.capacity = capacity;
  }

  @Override
  public boolean send() {
    return send(1) == 1;
  }

  /** Adds up to {@code count} tokens and returns how many fitted. */
  public int send(int count) {
    lock.lock();
    try {
      long _ = sent.addAndGet(count);
      int fitting = Math.min(count, capacity - tokens);
      tokens += fitting;
      for (int i = 0; i < Math.min(fitting, waiting); i++) {
        filled.signal();
      }
      return fitting;
    } finally {
      lock.unlock();
    }
  }

  /** Adds a token for new work in the store, which {@link #announced} counts as well. */
  public boolean announce() {
    lock.lock();
    try {
      long _ = announced.incrementAndGet();
      return send();
    } finally {
      lock.unlock();
    }
  }

  /**
   * How often new work was announced. Other tokens are sent on for known work, so a caller that
   * reads this and then queries the whole queue is up to date until the count grows.
   */
  public long announced() {
    return announced.get();
  }

  /** Waiting receivers without a token. */
  public int idle() {
    lock.lock();
    try {
      return Math.max(0, waiting - tokens);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean await(Duration atMost) throws InterruptedException {
    long left = atMost.toNanos();
    lock.lockInterruptibly();
    try {
      waiting++;
      while (tokens == 0 && !closed && left > 0) {
        left = filled.awaitNanos(left);
      }
      return take();
    } finally {
      waiting--;
      lock.unlock();
    }
  }

  /** Takes a token without waiting. */
  public boolean tryTake() {
    lock.lock();
    try {
      return take();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long sent() {
    return sent.get();
  }

  /** Tokens not yet taken. */
  public int pending() {
    lock.lock();
    try {
      return tokens;
    } finally {
      lock.unlock();
    }
  }

  /** Receivers that wait now. */
  public int waiting() {
    lock.lock();
    try {
      return waiting;
    } finally {
      lock.unlock();
    }
  }

  /** Ends every wait, now and later, and drops all tokens. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      tokens = 0;
      filled.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private boolean take() {
    if (tokens == 0 || closed) {
      return false;
    }
    tokens--;
    return true;
  }
}
