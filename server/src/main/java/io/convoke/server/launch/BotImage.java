package io.convoke.server.launch;

import java.util.Optional;

/**
 * The container image of bots and the resources of each container.
 *
 * @param memoryBytes absent: unlimited
 * @param cpus processors, fractions allowed; absent: unlimited
 */
public record BotImage(
    String name, ImagePullPolicy pull, Optional<Long> memoryBytes, Optional<Double> cpus) {

  /** When the image is fetched from its registry. */
  public enum ImagePullPolicy {
    /** Before every launch. */
    ALWAYS,
    /** When the machine does not have it. */
    MISSING,
    /** Never: a launch without the image fails. */
    NEVER
  }
}
