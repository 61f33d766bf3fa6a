package io.convoke.server.bots;

import io.convoke.server.config.BotRuleSettings.NoProgressSetting;
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
public record BotRuleTerms(
    Duration maxLifetime,
    Duration maxLifetimeLimit,
    NoProgressSetting noProgress,
    Duration noProgressAfter,
    Duration queueTimeout,
    int queueMax) {
  /** The defaults of the settings. */
  public static final BotRuleTerms DEFAULT =
      new BotRuleTerms(
          Duration.ofHours(8),
          Duration.ofHours(24),
          NoProgressSetting.WARN,
          Duration.ofMinutes(10),
          Duration.ofHours(1),
          100);

  /** The lifetime of a bot with these limits of its own. */
  Duration lifetime(BotLimits limits) {
    return limits.maxLifetime().orElse(maxLifetime);
  }
}
