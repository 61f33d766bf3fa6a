package io.convoke.engine.durable.runtime;

import java.time.Duration;

/**
 * When the lock of an item is renewed while its code runs.
 *
 * @param lock the lock timeout
 */
record LockRenewal(Duration lock) {
  /** A failed renewal is retried after this fraction of the lock timeout. */
  private static final int RETRIES = 30;

  /**
   * How long the lock lasts at least when the code begins: an item may have waited in the claim
   * buffer for half of its lock timeout.
   */
  Duration atBegin() {
    return lock.dividedBy(2);
  }

  /** The time from one renewal to the next. */
  Duration pause() {
    return lock.dividedBy(3);
  }

  /** The time from a failed renewal to the next. */
  Duration retryPause() {
    return lock.dividedBy(RETRIES);
  }
}
