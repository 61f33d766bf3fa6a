package io.convoke.server.bots;

import io.convoke.engine.sql.ResultRow;
import java.time.Duration;
import java.util.Optional;

/**
 * The rules of one bot that the server watches; columns of its row.
 *
 * @param maxLifetime since its process runs; empty: the operator's
 * @param silence how long the meeting may be without speech before the bot leaves; empty: without a
 *     limit
 */
record BotLimits(Optional<Duration> maxLifetime, Optional<Duration> silence) {
  /** The operator's rules and no others. */
  static final BotLimits NONE = new BotLimits(Optional.empty(), Optional.empty());

  static BotLimits of(ResultRow resultRow) {
    return new BotLimits(
        resultRow.maybeLong("max_lifetime_ms").map(Duration::ofMillis),
        resultRow.maybeLong("silence_timeout_ms").map(Duration::ofMillis));
  }

  /** These, and where they are silent the others. */
  BotLimits or(BotLimits others) {
    return new BotLimits(maxLifetime.or(others::maxLifetime), silence.or(others::silence));
  }
}
