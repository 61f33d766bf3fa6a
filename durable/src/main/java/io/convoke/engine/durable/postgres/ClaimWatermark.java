package io.convoke.engine.durable.postgres;

import java.time.Instant;

/**
 * The instant below which a queue has no claimable item, as far as this node knows. Claims begin to
 * read here, so they skip the dead rows of finished work, which a transaction that is held open
 * keeps from being vacuumed.
 *
 * <p>A claim raises it to what it has read; an announcement below lowers it, also for a claim that
 * is reading at that time.
 */
final class ClaimWatermark {
  private Instant floor = Instant.MIN;
  private Instant fallen = Instant.MAX;

  /** Where a claim begins; the claim must end with {@link #read}. */
  synchronized Instant begin() {
    fallen = Instant.MAX;
    return floor;
  }

  /** A claim has read all items from its beginning up to an instant. */
  synchronized void read(Instant upTo) {
    floor = upTo.isBefore(fallen) ? upTo : fallen;
  }

  /** An item may be claimed from this instant on. */
  synchronized void announce(Instant visibleAt) {
    floor = visibleAt.isBefore(floor) ? visibleAt : floor;
    fallen = visibleAt.isBefore(fallen) ? visibleAt : fallen;
  }

  /** Resets the watermark: the next claim reads the whole queue. */
  synchronized void reset() {
    announce(Instant.MIN);
  }
}
