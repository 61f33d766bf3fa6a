package io.convoke.chaos.dispatch.rules;

import java.time.Instant;

/**
 * A period without maintenance: Redis was down or not yet compared with the task table, or every
 * server was down.
 *
 * @param forgets whether Redis may have lost data at its start
 */
public record RecoveryOutage(String what, Instant from, Instant to, boolean forgets) {
  boolean touches(Instant start, Instant end) {
    return from.isBefore(end) && to.isAfter(start);
  }
}
