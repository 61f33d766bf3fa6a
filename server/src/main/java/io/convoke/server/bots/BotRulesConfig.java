package io.convoke.server.bots;

import java.time.Duration;

/**
 * The operator's terms for rules that end bots, and for the queue.
 *
 * @param maxLifetime of a bot whose user named none
 * @param maxLifetimeLimit the longest that a user may name
 * @param noProgress what follows when reports do not change for {@code noProgressAfter}
 * @param queueTimeout how long a bot waits for a place, unless its user named a time
 * @param queueMax bots of one user that wait
 */
public record BotRulesConfig(
    Duration maxLifetime,
    Duration maxLifetimeLimit,
    NoProgressAction noProgress,
    Duration noProgressAfter,
    Duration queueTimeout,
    int queueMax) {
  /** What follows a lack of progress. */
  public enum NoProgressAction {
    /** Nothing. */
    OFF,
    /** An event and a line in the log, once. */
    WARN,
    /** The bot is asked to leave. */
    END
  }

  /** The defaults of the settings. */
  public static final BotRulesConfig DEFAULT =
      new BotRulesConfig(
          Duration.ofHours(8),
          Duration.ofHours(24),
          NoProgressAction.WARN,
          Duration.ofMinutes(10),
          Duration.ofHours(1),
          100);

  /** The lifetime of a bot with these limits of its own. */
  Duration lifetime(BotLimits limits) {
    return limits.maxLifetime().orElse(maxLifetime);
  }
}
