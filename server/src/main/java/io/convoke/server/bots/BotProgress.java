package io.convoke.server.bots;

import io.convoke.engine.sql.ResultRow;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * What a bot has reported of its work.
 *
 * @param report the last one, as the bot sent it; empty: it reports none
 * @param changedAt when the report last differed from the one before
 * @param stalledAt since when it has been known that the reports do not change
 * @param spokeAt when the server last heard of speech, by a report or a transcript
 */
record BotProgress(
    Optional<JsonNode> report,
    Optional<Instant> changedAt,
    Optional<Instant> stalledAt,
    Optional<Instant> spokeAt) {
  static BotProgress of(ResultRow resultRow) {
    return new BotProgress(
        resultRow.maybeJson("progress"),
        resultRow.maybeInstant("progressed_at"),
        resultRow.maybeInstant("stalled_at"),
        resultRow.maybeInstant("spoke_at"));
  }
}
