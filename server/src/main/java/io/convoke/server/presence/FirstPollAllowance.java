package io.convoke.server.presence;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How many meetings that become live are polled one by one: {@link #BURST}, and one more each
 * {@link #REFILL}. The next bulk tick compares the others with one call, so many new meetings do
 * not cost as many calls. Used by one thread.
 */
final class FirstPollAllowance {
  static final int BURST = 8;
  static final Duration REFILL = Duration.ofSeconds(30);

  private final LongSupplier nanos;
  private int left = BURST;
  private long refilledAt;

  /**
   * @param nanos a monotonic clock
   */
  FirstPollAllowance(LongSupplier nanos) {
    this.nanos = nanos;
    this.refilledAt = nanos.getAsLong();
  }

  /** Takes up to {@code wanted} polls; returns how many were left. */
  int take(int wanted) {
    long refills = (nanos.getAsLong() - refilledAt) / REFILL.toNanos();
    refilledAt += refills * REFILL.toNanos();
    left = (int) Math.min(BURST, left + refills);
    int taken = Math.min(wanted, left);
    left -= taken;
    return taken;
  }
}
