package io.convoke.chaos.presence;

import io.convoke.chaos.history.PresenceBounds;
import java.time.Duration;

/** The times that servers under torment are given, and what follows from them. */
final class PresenceRunConfig {
  static final Duration RECONCILE = Duration.ofSeconds(2);

  /** How old a presence answer of the platform may be, so how long one absence proves nothing. */
  private static final Duration LAG = Duration.ofSeconds(15);

  /** How far presence may be off when it tells the time of a join, as coarse as Daily's is. */
  static final Duration TIME_ERROR = Duration.ofSeconds(15);

  /** After which the polls that a killed server held are taken over by another. */
  static final Duration TAKE_OVER = Duration.ofSeconds(6);

  /** Backoff after failed polls, a poll under way, a slow machine. */
  private static final Duration SLACK = Duration.ofSeconds(8);

  private static final Duration EXACT = Duration.ofSeconds(1);

  private PresenceRunConfig() {}

  /** From a change that no event told to its being known while all servers live. */
  static Duration freshness() {
    return RECONCILE.plus(LAG).plus(SLACK);
  }

  /** For the history of a run in which servers die. */
  static PresenceBounds bounds() {
    return new PresenceBounds(EXACT, TIME_ERROR, LAG, freshness().plus(TAKE_OVER));
  }
}
