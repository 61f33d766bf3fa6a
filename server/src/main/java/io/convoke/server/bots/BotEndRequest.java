package io.convoke.server.bots;

import io.convoke.engine.sql.ResultRow;
import java.time.Instant;
import java.util.Optional;

/**
 * A rule of the server has asked a bot to leave.
 *
 * @param at since when, by the database's clock
 * @param reason of its end, for example {@code max_lifetime}
 */
record BotEndRequest(Instant at, String reason) {
  static Optional<BotEndRequest> of(ResultRow resultRow) {
    return resultRow
        .maybeInstant("end_requested_at")
        .flatMap(
            at -> resultRow.maybeText("end_reason").map(reason -> new BotEndRequest(at, reason)));
  }
}
