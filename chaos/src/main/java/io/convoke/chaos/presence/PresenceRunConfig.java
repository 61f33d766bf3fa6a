package io.convoke.chaos.presence;

import io.convoke.chaos.history.PresenceHistory.PresenceBounds;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Timeouts of the servers under test, and the bounds derived from them. */
final class PresenceRunConfig {
  static final Duration RECONCILE = Duration.ofSeconds(2);

  /** Maximum age of the platform's presence data; absence for less proves nothing. */
  private static final Duration LAG = Duration.ofSeconds(15);

  /** Error of join times in presence data, as coarse as Daily's. */
  static final Duration TIME_ERROR = Duration.ofSeconds(15);

  /** Shorter visits are not in the platform's history. */
  static final Duration RECORDED = Duration.ofMillis(100);

  /** Time until another server takes over the polls of a killed one. */
  static final Duration TAKE_OVER = Duration.ofSeconds(6);

  /** Backoff after failed polls, a poll in flight, a slow machine. */
  private static final Duration SLACK = Duration.ofSeconds(8);

  private static final Duration EXACT = Duration.ofSeconds(1);

  private PresenceRunConfig() {}

  /** Settings of the servers, besides those of the platform. */
  static Map<String, String> settings(Map<String, String> platform) {
    Map<String, String> settings = new HashMap<>(platform);
    settings.put("CONVOKE_PRESENCE_RECONCILE_INTERVAL", RECONCILE.toMillis() + "ms");
    settings.put("CONVOKE_PRESENCE_COALESCE_WINDOW", "300ms");
    settings.put("CONVOKE_PRESENCE_MIN_POLL_INTERVAL", "300ms");
    settings.put("CONVOKE_MEETING_PROCESS_INTERVAL", "2s");
    settings.put("CONVOKE_RATE_LIMIT", "10000");
    return settings;
  }

  /** Time to detect a change without an event while all servers are up. */
  static Duration freshness() {
    return RECONCILE.plus(LAG).plus(SLACK);
  }

  /** Bounds for a run in which servers die. */
  static PresenceBounds bounds() {
    return new PresenceBounds(EXACT, TIME_ERROR, LAG, freshness().plus(TAKE_OVER), RECORDED);
  }
}
