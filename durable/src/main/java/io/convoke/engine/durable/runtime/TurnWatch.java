package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.provider.LockStatus;
import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.provider.ProviderFailure;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A turn while its code runs: renews its lock, and lets another dispatcher take the place of one
 * whose turn is in a long step.
 */
final class TurnWatch implements Coroutine.ResumeWatch {
  private static final Logger log = LoggerFactory.getLogger(TurnWatch.class);

  /** A step that takes longer leaves its place to another dispatcher. */
  private static final Duration PATIENCE = Duration.ofMillis(20);

  /** A turn that has taken longer is committed after its step, so that a crash repeats less. */
  private static final Duration LONG = Duration.ofSeconds(1);

  /** The lock of a turn was lost while its code ran, so its result cannot be committed. */
  static final class TurnLockLost extends RuntimeException {
    private static final long serialVersionUID = 1;

    TurnLockLost(String instanceId) {
      super("the lock of " + instanceId + " was lost during a turn");
    }
  }

  private final Provider provider;
  private final String instanceId;
  private final String lockToken;
  private final LockRenewal lockRenewal;
  private final DispatchLoop.DispatcherPlace place;
  private final long begun = System.nanoTime();
  private long renewal;
  private long lockEnd;
  private boolean left;

  /**
   * Begins with the turn.
   *
   * @param lock the lock timeout
   */
  TurnWatch(
      Provider provider,
      String instanceId,
      String lockToken,
      Duration lock,
      DispatchLoop.DispatcherPlace place) {
    this.provider = provider;
    this.instanceId = instanceId;
    this.lockToken = lockToken;
    this.lockRenewal = new LockRenewal(lock);
    this.place = place;
    this.lockEnd = begun + lockRenewal.atBegin().toNanos();
    this.renewal = begun + lockRenewal.pause().toNanos();
  }

  @Override
  public Duration pause() {
    Duration untilRenewal = Duration.ofNanos(Math.max(1, renewal - System.nanoTime()));
    return !left && PATIENCE.compareTo(untilRenewal) < 0 ? PATIENCE : untilRenewal;
  }

  @Override
  public void stillRunning(boolean stepping) {
    if (stepping && !left) {
      left = true;
      place.leave();
    }
    if (System.nanoTime() - renewal >= 0) {
      renew();
    }
  }

  /** Whether the turn should be committed as soon as its code can wait. */
  boolean isLong() {
    return System.nanoTime() - begun >= LONG.toNanos();
  }

  /** Whether the lock may not have expired. */
  boolean mayHoldLock() {
    return System.nanoTime() - lockEnd < lockRenewal.buffered().toNanos();
  }

  /** The time by the store's clock. */
  Instant now() {
    return provider.now();
  }

  /** The code has run; the dispatcher takes its place again. */
  void end() {
    if (left) {
      left = false;
      place.back();
    }
  }

  private void renew() {
    long asked = System.nanoTime();
    try {
      if (provider.renewOrchestrationItemLock(lockToken, lockRenewal.lock()) == LockStatus.LOST) {
        throw new TurnLockLost(instanceId);
      }
      lockEnd = asked + lockRenewal.lock().toNanos();
      renewal = asked + lockRenewal.pause().toNanos();
    } catch (ProviderFailure e) {
      log.info("the lock of a turn of {} was not renewed: {}", instanceId, e.getMessage());
      if (System.nanoTime() - lockEnd >= 0) {
        throw new TurnLockLost(instanceId);
      }
      renewal = System.nanoTime() + lockRenewal.retryPause().toNanos();
    }
  }
}
