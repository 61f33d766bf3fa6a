package io.convoke.engine.wake;

import java.time.Duration;

/** The channel of a {@link WakeChain}; {@link WakeChannel} in production. */
public interface WakeTokens {
  /** Adds one token and wakes one receiver; false if the channel is full. */
  boolean send();

  /** Takes one token, waiting for it at most this long; false on timeout. */
  boolean await(Duration atMost) throws InterruptedException;

  /**
   * The number of tokens sent, including those that did not fit. It grows before the token can be
   * taken, so a receiver that reads it and then polls sees all work announced up to here.
   */
  long sent();
}
