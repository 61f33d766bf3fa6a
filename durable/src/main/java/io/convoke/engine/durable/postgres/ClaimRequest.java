package io.convoke.engine.durable.postgres;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/**
 * What a claim asks for.
 *
 * @param floor where to begin
 * @param grace how far into the future to take what is not visible yet
 * @param token written into every row that is taken
 */
record ClaimRequest(Instant floor, Duration grace, int limit, String token, Duration lock) {
  /** The beginning as a parameter; what knows no floor begins at minus infinity. */
  OffsetDateTime from() {
    return floor.isAfter(Instant.EPOCH) ? floor.atOffset(ZoneOffset.UTC) : OffsetDateTime.MIN;
  }
}
