package io.convoke.engine.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The right to work on a thing until it is closed or lost. Held, then either released or lost,
 * once.
 *
 * <p>Danger: a holder that ignores interruption outlives its lease. Its writes are still refused by
 * the epoch of the row, but what it does to the outside world is not.
 */
public final class Lease implements AutoCloseable {
  private final LeaseKeeper keeper;
  private final String key;
  private final String token;
  private final long epoch;
  private final LeaseTerms terms;

  /**
   * Guards state, holder and listeners; taken after the keeper's lock or alone, never before it.
   */
  private final ReentrantLock lock = new ReentrantLock();

  private State state = State.HELD;
  private @Nullable Thread holder;
  private final List<Runnable> lossListeners = new ArrayList<>();

  private enum State {
    HELD,
    RELEASED,
    LOST
  }

  Lease(LeaseKeeper keeper, String key, String token, long epoch, LeaseTerms terms) {
    this.keeper = keeper;
    this.key = key;
    this.token = token;
    this.epoch = epoch;
    this.terms = terms;
  }

  public String key() {
    return key;
  }

  public String token() {
    return token;
  }

  /** Greater than the epoch of every earlier lease of this store. */
  public long epoch() {
    return epoch;
  }

  LeaseTerms terms() {
    return terms;
  }

  public boolean held() {
    lock.lock();
    try {
      return state == State.HELD;
    } finally {
      lock.unlock();
    }
  }

  /** Runs at the loss of this lease, or at once if it is lost already. It must not block. */
  public void onLoss(Runnable action) {
    boolean late;
    lock.lock();
    try {
      late = state == State.LOST;
      if (!late) {
        lossListeners.add(action);
      }
    } finally {
      lock.unlock();
    }
    if (late) {
      action.run();
    }
  }

  /**
   * Runs work in this thread, which is interrupted if the lease is lost meanwhile.
   *
   * @throws LeaseLost if the lease was lost before or during the work, whatever the work did then
   */
  public <T> T guard(Callable<T> work) throws Exception {
    bind(Thread.currentThread());
    T result;
    try {
      result = work.call();
    } catch (Exception e) {
      if (unbind()) {
        throw new LeaseLost(key, e);
      }
      throw e;
    }
    if (unbind()) {
      throw new LeaseLost(key, null);
    }
    return result;
  }

  /**
   * Ends the lease of a holder whose own script deletes the lock: no more renewals from here on.
   */
  public void surrendered() {
    lock.lock();
    try {
      if (state == State.HELD) {
        state = State.RELEASED;
      }
    } finally {
      lock.unlock();
    }
    keeper.forget(this);
  }

  /** Gives the right back: deletes the lock if it is still ours. Closing twice is harmless. */
  @Override
  public void close() {
    lock.lock();
    try {
      if (state != State.HELD) {
        return;
      }
      state = State.RELEASED;
    } finally {
      lock.unlock();
    }
    keeper.release(this);
  }

  /** Ends the lease from the keeper's side and tells the holder. */
  void lose() {
    List<Runnable> listeners;
    lock.lock();
    try {
      if (state != State.HELD) {
        return;
      }
      state = State.LOST;
      if (holder != null) {
        holder.interrupt();
      }
      listeners = List.copyOf(lossListeners);
    } finally {
      lock.unlock();
    }
    listeners.forEach(Runnable::run);
  }

  private void bind(Thread thread) {
    lock.lock();
    try {
      if (state == State.LOST) {
        throw new LeaseLost(key, null);
      }
      holder = thread;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the binding; answers whether the lease was lost, and then takes back the interrupt. */
  private boolean unbind() {
    lock.lock();
    try {
      holder = null;
      boolean lost = state == State.LOST;
      if (lost) {
        boolean _ = Thread.interrupted();
      }
      return lost;
    } finally {
      lock.unlock();
    }
  }
}
