package io.convoke.engine.durable.postgres;

import java.time.Instant;

/**
 * The instant below which nothing is left to claim in a queue, as far as this node knows. Claims
 * begin to read at this floor, so they skip the dead rows of finished work, which a transaction
 * that is held open keeps from being vacuumed.
 *
 * <p>It rises to what a claim has read, and falls to whatever is announced below it. An
 * announcement that arrives while a claim is reading counts for both.
 */
final class ClaimWatermark {
  private Instant floor = Instant.MIN;
  private Instant fallen = Instant.MAX;

  /** Where a claim has to begin; the claim must end with {@link #read}. */
  synchronized Instant begin() {
    fallen = Instant.MAX;
    return floor;
  }

  /** A claim has read everything from its beginning up to an instant. */
  synchronized void read(Instant upTo) {
    floor = upTo.isBefore(fallen) ? upTo : fallen;
  }

  /** Something may be claimed from this instant on. */
  synchronized void announce(Instant visibleAt) {
    floor = visibleAt.isBefore(floor) ? visibleAt : floor;
    fallen = visibleAt.isBefore(fallen) ? visibleAt : fallen;
  }

  /** Forgets the floor: the next claim reads the whole queue. */
  synchronized void reset() {
    announce(Instant.MIN);
  }
}
