package io.convoke.chaos.bots;

import io.convoke.chaos.bots.rules.BotStateLimits;
import java.time.Duration;

/** The times that servers under torment are given: short, so that a seed takes half a minute. */
final class BotRunConfig {
  static final Duration HEARTBEAT = Duration.ofSeconds(1);
  static final Duration SWEEP = Duration.ofSeconds(2);

  /** How long a bot may wait at a door; the server grants a minute more. */
  static final Duration LOBBY = Duration.ofSeconds(3);

  /** Until a bot that nobody else comes to, or that everybody left, goes by itself. */
  static final Duration ALONE = Duration.ofSeconds(4);

  /** How late old callbacks come: two minutes by the scale of the deadlines, a twentieth. */
  static final Duration LATE = Duration.ofSeconds(6);

  /** The same without a scale. */
  static final Duration REALLY_LATE = Duration.ofMinutes(2);

  static final BotStateLimits DEADLINES =
      new BotStateLimits(
          Duration.ofSeconds(14),
          LOBBY.plusMinutes(1),
          Duration.ofSeconds(6),
          Duration.ofSeconds(6),
          // The server's grace between SIGTERM and SIGKILL.
          Duration.ofSeconds(10),
          // Two sweeps, and a machine that does other things too.
          SWEEP.multipliedBy(2).plusSeconds(5));

  /**
   * Containers take longer to make, and while the engine is away or slow nobody can be ended; a
   * launch whose call got lost is made again when its lease of 30 s is over.
   */
  static final BotStateLimits CONTAINER_DEADLINES =
      new BotStateLimits(
          Duration.ofSeconds(45),
          DEADLINES.starting(),
          DEADLINES.active(),
          DEADLINES.stopping(),
          DEADLINES.grace(),
          DEADLINES.slack().plusSeconds(20));

  private BotRunConfig() {}

  static String text(Duration span) {
    return span.toMillis() + "ms";
  }
}
