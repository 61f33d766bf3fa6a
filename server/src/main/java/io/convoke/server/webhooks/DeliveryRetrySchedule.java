package io.convoke.server.webhooks;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Retry schedule of failed deliveries: increasing pauses for 72 hours. */
final class DeliveryRetrySchedule {
  /** After this time of failures the endpoint is paused. */
  static final Duration GIVES_UP_AFTER = Duration.ofDays(3);

  private static final List<Duration> PAUSES =
      List.of(
          Duration.ofSeconds(5),
          Duration.ofSeconds(30),
          Duration.ofMinutes(2),
          Duration.ofMinutes(10),
          Duration.ofMinutes(30),
          Duration.ofHours(1),
          Duration.ofHours(2),
          Duration.ofHours(4));
  private static final Duration LAST = Duration.ofHours(6);

  private DeliveryRetrySchedule() {}

  /**
   * The pause after a failed attempt; empty when the retries are exhausted.
   *
   * @param attempt counts from 1
   * @param since time since the first attempt
   * @param chance from 0 to 1, for jitter of a tenth of the pause
   */
  static Optional<Duration> after(int attempt, Duration since, double chance) {
    Duration pause = attempt <= PAUSES.size() ? PAUSES.get(attempt - 1) : LAST;
    Duration drawn = pause.plusMillis(Math.round(pause.toMillis() * 0.1 * chance));
    Duration left = GIVES_UP_AFTER.minus(since);
    if (left.isNegative() || left.isZero()) {
      return Optional.empty();
    }
    return Optional.of(drawn.compareTo(left) < 0 ? drawn : left);
  }
}
