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

  /** How long an item may have waited in the claim buffer, with its lock, before its code began. */
  Duration buffered() {
    return lock.dividedBy(2);
  }

  /** How long the lock lasts at least when the code begins. */
  Duration atBegin() {
    return lock.minus(buffered());
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
