package io.convoke.server.bots;

import io.convoke.engine.sql.ResultRow;
import java.time.Instant;
import java.util.Optional;

/** A bot waits for a free place. */
record BotQueueTicket(Instant since, Instant until) {
  static Optional<BotQueueTicket> of(ResultRow resultRow) {
    return resultRow
        .maybeInstant("queued_at")
        .flatMap(
            since ->
                resultRow
                    .maybeInstant("queue_until")
                    .map(until -> new BotQueueTicket(since, until)));
  }
}
