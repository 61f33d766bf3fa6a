package io.convoke.chaos.bots.rules;

import java.time.Duration;

/**
 * How long each state may last.
 *
 * @param starting with the time that was granted at the door
 * @param active without a sign of life
 * @param stopping also from the wish to stop until the end
 * @param grace between SIGTERM and SIGKILL
 * @param slack until a sweep has come round
 */
public record BotStateLimits(
    Duration reserved,
    Duration starting,
    Duration active,
    Duration stopping,
    Duration grace,
    Duration slack) {

  /** What is allowed beyond a deadline. */
  public Duration late() {
    return grace.plus(slack);
  }
}
