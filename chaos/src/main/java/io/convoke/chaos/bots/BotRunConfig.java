package io.convoke.chaos.bots;

import io.convoke.chaos.bots.rules.BotHistory.BotStateLimits;
import java.time.Duration;

/** Timeouts of the servers under test, short enough that a run takes half a minute. */
final class BotRunConfig {
  static final Duration HEARTBEAT = Duration.ofSeconds(1);
  static final Duration SWEEP = Duration.ofSeconds(2);

  /** How long a bot may wait in a lobby. */
  static final Duration LOBBY = Duration.ofSeconds(3);

  /** How long a bot stays alone in a room before it leaves. */
  static final Duration ALONE = Duration.ofSeconds(4);

  /** Delay of replayed callbacks: two minutes, scaled down by twenty like the deadlines. */
  static final Duration LATE = Duration.ofSeconds(6);

  /** The same delay unscaled. */
  static final Duration REALLY_LATE = Duration.ofMinutes(2);

  static final BotStateLimits DEADLINES =
      new BotStateLimits(
          Duration.ofSeconds(14),
          // A lobby wait that is shorter than the bound extends nothing.
          Duration.ofSeconds(14),
          Duration.ofSeconds(6),
          Duration.ofSeconds(6),
          // The server's grace period between SIGTERM and SIGKILL.
          Duration.ofSeconds(10),
          // Two sweeps, plus slack for a busy machine.
          SWEEP.multipliedBy(2).plusSeconds(5));

  /**
   * Containers take longer to create, and no bot can be stopped while the engine is down or slow; a
   * launch whose call was lost is retried when its lease of 30 s expires.
   */
  static final BotStateLimits CONTAINER_DEADLINES =
      new BotStateLimits(
          Duration.ofSeconds(45),
          Duration.ofSeconds(45),
          DEADLINES.active(),
          DEADLINES.stopping(),
          DEADLINES.grace(),
          DEADLINES.slack().plusSeconds(20));

  /** A longer gap between two sweeps certainly counts as an outage of the control plane. */
  static final Duration OUTAGE = SWEEP.multipliedBy(3);

  private BotRunConfig() {}

  static String text(Duration span) {
    return span.toMillis() + "ms";
  }
}
