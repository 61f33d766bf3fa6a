package io.convoke.engine.wake;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A timed wait that {@link #wake} ends early and {@link #close} ends for good. */
public final class Waiter {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean woken;
  private boolean closed;

  /** Waits until a wake-up, at most this long; false once closed. */
  public boolean await(Duration atMost) throws InterruptedException {
    lock.lock();
    try {
      long left = atMost.toNanos();
      while (!woken && !closed && left > 0) {
        left = changed.awaitNanos(left);
      }
      woken = false;
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the current wait, or the next one at once. */
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
      woken = true;
      closed |= close;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
