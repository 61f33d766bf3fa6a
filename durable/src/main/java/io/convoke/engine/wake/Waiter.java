package io.convoke.engine.wake;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Waiting that ends early: when somebody has news, or when everything stops. */
public final class Waiter {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean news;
  private boolean closed;

  /** Waits, at most this long; false once closed. */
  public boolean await(Duration atMost) throws InterruptedException {
    lock.lock();
    try {
      long left = atMost.toNanos();
      while (!news && !closed && left > 0) {
        left = changed.awaitNanos(left);
      }
      news = false;
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the wait that runs, or the next one at once. */
  public void wake() {
    change(false);
  }

  /** Ends every wait for good. */
  public void close() {
    change(true);
  }

  public boolean closed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  private void change(boolean close) {
    lock.lock();
    try {
      news = true;
      closed |= close;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
