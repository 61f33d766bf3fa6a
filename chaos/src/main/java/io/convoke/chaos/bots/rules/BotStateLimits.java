package io.convoke.chaos.bots.rules;

import java.time.Duration;

/**
 * Maximum duration of each status.
 *
 * @param starting includes the time granted in the lobby
 * @param active time without a callback
 * @param stopping also the time from the stop request to the end
 * @param grace time between SIGTERM and SIGKILL
 * @param slack time until the next sweep
 */
public record BotStateLimits(
    Duration reserved,
    Duration starting,
    Duration active,
    Duration stopping,
    Duration grace,
    Duration slack) {

  /** The deadline with slack. */
  public Duration late() {
    return grace.plus(slack);
  }
}
