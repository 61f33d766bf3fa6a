package io.convoke.engine.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A held lease on one key, until it is closed or lost. It ends exactly once.
 *
 * <p>Danger: a holder that ignores interruption outlives its lease. Its writes are still refused by
 * the epoch of the row, but what it does to the outside world is not.
 */
public final class Lease implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Lease.class);

  private final EndListener keeper;
  private final String key;
  private final String token;
  private final long epoch;
  private final LeaseConfig terms;

  /** When the holder must have stopped, in monotonic nanoseconds; the keeper moves it. */
  private volatile long validUntil;

  /** Guards everything below; never held while the keeper or a listener is called. */
  private final ReentrantLock lock = new ReentrantLock();

  private LeaseState leaseState = LeaseState.HELD;
  private boolean ended;
  private @Nullable Thread holder;
  private final List<Runnable> lossListeners = new ArrayList<>();

  private enum LeaseState {
    HELD,
    RELEASED,
    LOST
  }

  /** How a holder ended its lease. */
  enum LeaseEnding {
    /** The work is done and the lock is to be deleted. */
    RELEASED,
    /** The lease was lost before; the holder has stopped now. */
    STOPPED,
    /** The holder's own script deletes the lock. */
    SURRENDERED
  }

  /** Called once when the holder closes the lease. */
  @FunctionalInterface
  interface EndListener {
    void ended(Lease lease, LeaseEnding leaseEnding);
  }

  Lease(EndListener keeper, String key, String token, long epoch, LeaseConfig terms) {
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

  /**
   * Greater than the epoch of every earlier lease of this store; on a cluster, of every earlier one
   * whose key is in the same slot, so of this key in any case.
   */
  public long epoch() {
    return epoch;
  }

  LeaseConfig terms() {
    return terms;
  }

  void validUntil(long nanos) {
    validUntil = nanos;
  }

  /**
   * Whether the work may go on. It also compares the clock, so a holder that was paused past the
   * lease's end sees the loss before the keeper reports it.
   */
  public boolean held() {
    if (validUntil - System.nanoTime() <= 0) {
      return false;
    }
    lock.lock();
    try {
      return leaseState == LeaseState.HELD;
    } finally {
      lock.unlock();
    }
  }

  /** Runs at the loss of this lease, or at once if it is lost already. It must not block. */
  public void onLoss(Runnable action) {
    boolean late;
    lock.lock();
    try {
      late = leaseState == LeaseState.LOST;
      if (!late) {
        lossListeners.add(action);
      }
    } finally {
      lock.unlock();
    }
    if (late) {
      tell(action);
    }
  }

  /**
   * Runs work in this thread, which is interrupted if the lease is lost meanwhile. One thread at a
   * time may be guarded.
   *
   * @throws LeaseLost if the lease was lost before or during the work, whatever the work did then
   * @throws IllegalStateException if the lease was released or guards another thread
   */
  public <T> T guard(Callable<T> work) throws Exception {
    bind(Thread.currentThread());
    boolean bound = true;
    try {
      T result = work.call();
      bound = false;
      if (unbind()) {
        throw new LeaseLost(key, null);
      }
      return result;
    } catch (Exception e) {
      if (bound) {
        bound = false;
        if (unbind()) {
          throw new LeaseLost(key, e);
        }
      }
      throw e;
    } finally {
      if (bound) {
        boolean _ = unbind();
      }
    }
  }

  /**
   * Releases the lease: deletes the lock if this holder still owns it. After a loss it tells Redis
   * that the holder has stopped, so that other claimants need not wait for the expiry. Closing
   * twice is harmless.
   */
  @Override
  public void close() {
    end(LeaseEnding.RELEASED);
  }

  /**
   * Ends the lease of a holder whose own script deletes the lock: no more renewals from here on.
   */
  public void surrendered() {
    end(LeaseEnding.SURRENDERED);
  }

  /** Marks the lease lost and notifies the holder; false if it had ended before. */
  boolean lose() {
    List<Runnable> listeners;
    lock.lock();
    try {
      if (leaseState != LeaseState.HELD) {
        return false;
      }
      leaseState = LeaseState.LOST;
      if (holder != null) {
        holder.interrupt();
      }
      listeners = List.copyOf(lossListeners);
    } finally {
      lock.unlock();
    }
    listeners.forEach(this::tell);
    return true;
  }

  private void end(LeaseEnding leaseEnding) {
    boolean lost;
    lock.lock();
    try {
      if (ended) {
        return;
      }
      ended = true;
      lost = leaseState == LeaseState.LOST;
      if (!lost) {
        leaseState = LeaseState.RELEASED;
      }
    } finally {
      lock.unlock();
    }
    keeper.ended(
        this, lost && leaseEnding == LeaseEnding.RELEASED ? LeaseEnding.STOPPED : leaseEnding);
  }

  /** A listener that fails must not end the keeper's thread, on which all other leases depend. */
  private void tell(Runnable listener) {
    try {
      listener.run();
    } catch (RuntimeException | Error e) {
      log.error("a listener for the loss of {} failed", key, e);
    }
  }

  private void bind(Thread thread) {
    lock.lock();
    try {
      switch (leaseState) {
        case LOST -> throw new LeaseLost(key, null);
        case RELEASED -> throw new IllegalStateException("the lease on " + key + " is released");
        case HELD -> {
          if (holder != null) {
            throw new IllegalStateException("the lease on " + key + " guards another thread");
          }
          holder = thread;
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends the binding; answers whether the lease was lost, and then takes back the interrupt. */
  private boolean unbind() {
    lock.lock();
    try {
      holder = null;
      boolean lost = leaseState == LeaseState.LOST;
      if (lost) {
        boolean _ = Thread.interrupted();
      }
      return lost;
    } finally {
      lock.unlock();
    }
  }
}
