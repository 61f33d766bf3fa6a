package io.convoke.engine.wake;

import java.time.Duration;
import java.time.Instant;

/**
 * An estimate of the store's clock from its responses. Instants of a store are compared with this
 * clock alone, so the clocks of nodes may differ from it and from each other.
 *
 * <p>A response contains the store's time at some moment of the round trip. This clock takes it as
 * the time of the response's arrival, so it is never ahead: a wait until an instant on this clock
 * ends after the store has reached it, late by at most one round trip. Of several responses the
 * clock keeps the one that leads furthest, for a minute, because clocks drift.
 */
public final class StoreClock {
  private static final long FORGOTTEN_AFTER = Duration.ofMinutes(1).toNanos();

  /** Later than any timer, and well within a long's nanoseconds. */
  private static final Instant LATEST = Instant.parse("2200-01-01T00:00:00Z");

  /** The store's time in nanoseconds since 1970, minus the monotonic clock here. */
  private record ClockEstimate(long lead, long seen) {}

  private volatile ClockEstimate clockEstimate;

  /** A clock that follows the clock of this machine until the first response. */
  public StoreClock(Instant here) {
    this.clockEstimate =
        new ClockEstimate(nanos(here) - System.nanoTime(), System.nanoTime() - FORGOTTEN_AFTER);
  }

  /** Records the store's time in a response that has just arrived. */
  public void answered(Instant storeTime) {
    long now = System.nanoTime();
    long lead = nanos(storeTime) - now;
    ClockEstimate known = clockEstimate;
    if (lead > known.lead || now - known.seen > FORGOTTEN_AFTER) {
      clockEstimate = new ClockEstimate(lead, now);
    }
  }

  /** The store's time now, late by at most one round trip. */
  public Instant now() {
    long nanos = System.nanoTime() + clockEstimate.lead;
    return Instant.ofEpochSecond(
        Math.floorDiv(nanos, 1_000_000_000L), Math.floorMod(nanos, 1_000_000_000L));
  }

  /** An instant of the store on the monotonic clock of this machine. */
  public long monotonic(Instant storeTime) {
    return nanos(storeTime) - clockEstimate.lead;
  }

  private static long nanos(Instant instant) {
    Instant notLater = instant.isAfter(LATEST) ? LATEST : instant;
    Instant bounded = notLater.isBefore(Instant.EPOCH) ? Instant.EPOCH : notLater;
    return bounded.getEpochSecond() * 1_000_000_000L + bounded.getNano();
  }
}
