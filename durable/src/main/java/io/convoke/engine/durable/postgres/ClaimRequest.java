package io.convoke.engine.durable.postgres;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/**
 * The parameters of a claim.
 *
 * @param floor where to begin
 * @param grace how far into the future items are claimed early
 * @param token written into every row that is taken
 */
record ClaimRequest(Instant floor, Duration grace, int limit, String token, Duration lock) {
  /** The floor as a parameter; without a known floor, minus infinity. */
  OffsetDateTime from() {
    return floor.isAfter(Instant.EPOCH) ? floor.atOffset(ZoneOffset.UTC) : OffsetDateTime.MIN;
  }
}
