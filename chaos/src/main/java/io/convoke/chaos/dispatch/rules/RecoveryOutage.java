package io.convoke.chaos.dispatch.rules;

import java.time.Instant;

/**
 * From one instant to another nobody could tend: Redis was away, or not compared with the ledger
 * yet, or every server was away.
 *
 * @param forgets whether Redis may have forgotten something at its beginning
 */
public record RecoveryOutage(String what, Instant from, Instant to, boolean forgets) {
  boolean touches(Instant start, Instant end) {
    return from.isBefore(end) && to.isAfter(start);
  }
}
