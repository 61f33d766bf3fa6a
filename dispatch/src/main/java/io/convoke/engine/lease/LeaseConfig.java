package io.convoke.engine.lease;

import java.time.Duration;

/**
 * How long a lease lives without renewal, and how often it is renewed; the design names 120/30 s,
 * 600/60 s and 120/30 s for its three locks.
 */
public record LeaseConfig(Duration timeout, Duration interval) {
  public LeaseConfig {
    if (interval.isNegative()
        || interval.isZero()
        || interval.multipliedBy(2).compareTo(timeout) > 0) {
      throw new IllegalArgumentException("a lease is renewed at least twice in its timeout");
    }
  }

  /** The part of the timeout at whose beginning a holder stops if no renewal came through. */
  Duration margin() {
    return timeout.dividedBy(10);
  }
}
