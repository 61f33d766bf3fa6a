package io.convoke.engine.wake;

import java.time.Duration;
import java.time.Instant;

/**
 * What time it is in the store, known from its answers. Instants of a store are compared with this
 * clock alone, so the clocks of nodes may differ from it and from each other.
 *
 * <p>An answer tells what the store's time was at some moment between question and answer. Taken as
 * the moment of the answer it is never ahead: waiting until an instant on this clock ends after the
 * store has reached it, late by at most the time that one answer needed. Of several answers the one
 * that leads furthest is the best known; after a minute it is forgotten, because clocks drift.
 */
public final class StoreClock {
  private static final long FORGOTTEN_AFTER = Duration.ofMinutes(1).toNanos();

  /** Later than anything that is waited for, and well within a long's nanoseconds. */
  private static final Instant LATEST = Instant.parse("2200-01-01T00:00:00Z");

  /** The store's time in nanoseconds since 1970, minus the monotonic clock here. */
  private record ClockEstimate(long lead, long seen) {}

  private volatile ClockEstimate clockEstimate;

  /** Before the first answer, the clock of this machine is as good as any. */
  public StoreClock(Instant here) {
    this.clockEstimate =
        new ClockEstimate(nanos(here) - System.nanoTime(), System.nanoTime() - FORGOTTEN_AFTER);
  }

  /** Takes note of an answer that has just arrived. */
  public void answered(Instant storeTime) {
    long now = System.nanoTime();
    long lead = nanos(storeTime) - now;
    ClockEstimate known = clockEstimate;
    if (lead > known.lead || now - known.seen > FORGOTTEN_AFTER) {
      clockEstimate = new ClockEstimate(lead, now);
    }
  }

  /** The store's time now, late by at most the round trip of one answer. */
  public Instant now() {
    long nanos = System.nanoTime() + clockEstimate.lead;
    return Instant.ofEpochSecond(
        Math.floorDiv(nanos, 1_000_000_000L), Math.floorMod(nanos, 1_000_000_000L));
  }

  /** When an instant of the store comes, on the monotonic clock here. */
  public long monotonic(Instant storeTime) {
    return nanos(storeTime) - clockEstimate.lead;
  }

  private static long nanos(Instant instant) {
    Instant notLater = instant.isAfter(LATEST) ? LATEST : instant;
    Instant bounded = notLater.isBefore(Instant.EPOCH) ? Instant.EPOCH : notLater;
    return bounded.getEpochSecond() * 1_000_000_000L + bounded.getNano();
  }
}
