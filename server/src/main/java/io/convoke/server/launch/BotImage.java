package io.convoke.server.launch;

import java.util.Optional;

/**
 * The image that bots are made of, and how much of a machine each may have.
 *
 * @param memoryBytes absent: no limit of ours
 * @param cpus processors, fractions allowed; absent: no limit of ours
 */
public record BotImage(String name, Pull pull, Optional<Long> memoryBytes, Optional<Double> cpus) {

  /** When the image is fetched from its registry. */
  public enum Pull {
    /** Before every launch. */
    ALWAYS,
    /** When the machine does not have it. */
    MISSING,
    /** Never: a launch without the image fails. */
    NEVER
  }
}
