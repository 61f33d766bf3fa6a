package io.convoke.server.launch;

import io.convoke.server.config.ServerConfig;
import io.convoke.server.config.Settings;
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

  /** Reads the settings, which name an image for this launcher. */
  public static BotImage of(ServerConfig config) {
    return new BotImage(
        config.get(Settings.BOT_IMAGE).orElseThrow(),
        switch (config.get(Settings.BOT_PULL)) {
          case ALWAYS -> ImagePullPolicy.ALWAYS;
          case MISSING -> ImagePullPolicy.MISSING;
          case NEVER -> ImagePullPolicy.NEVER;
        },
        config.get(Settings.BOT_MEMORY),
        config.get(Settings.BOT_CPUS));
  }
}
