package io.convoke.server.launch.docker;

import io.convoke.server.config.ServerConfig;
import io.convoke.server.config.Settings;
import io.convoke.server.launch.BotImage;
import java.util.Optional;

/**
 * Where and how containers are made.
 *
 * @param host {@code unix:///var/run/docker.sock} or {@code tcp://host:port}
 * @param fleet label of the bots: two installations on one engine need two
 * @param network the network mode: a network's name, {@code host}, {@code none}; absent: the
 *     engine's own default
 */
public record DockerConfig(String host, String fleet, BotImage image, Optional<String> network) {
  /** Reads the settings. */
  public static DockerConfig of(ServerConfig config) {
    return new DockerConfig(
        config.get(Settings.DOCKER_HOST).toString(),
        config.get(Settings.BOT_FLEET),
        BotImage.of(config),
        config.get(Settings.DOCKER_NETWORK));
  }
}
