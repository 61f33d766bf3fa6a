package io.convoke.engine.wake;

import java.time.Duration;

/** What a {@link WakeChain} sends wake-ups into and waits on; {@link WakeChannel} in production. */
public interface WakeTokens {
  /** Adds one token and releases one who waits; false if there are as many as fit already. */
  boolean send();

  /** Takes one token, waiting for it at most this long; false when none came. */
  boolean await(Duration atMost) throws InterruptedException;

  /**
   * How many were sent so far, those that did not fit included. It grows before the token can be
   * taken, so whoever reads it and then looks has not missed what was announced up to here.
   */
  long sent();
}
