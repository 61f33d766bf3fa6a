package io.convoke.server.launch.docker;

import io.convoke.server.config.InvalidConfigException;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.config.Settings;
import io.convoke.server.launch.BotImage;
import io.convoke.server.launch.BotSandbox;
import java.util.List;
import java.util.Optional;

/**
 * Where and how containers are made.
 *
 * @param host {@code unix:///var/run/docker.sock} or {@code tcp://host:port}
 * @param fleet label of the bots: two installations on one engine need two
 * @param network the network mode: a network's name, {@code host}, {@code none}; absent: the
 *     engine's own default
 */
public record DockerConfig(
    String host, String fleet, BotImage image, Optional<String> network, BotSandbox sandbox) {
  /** Without a template. */
  public DockerConfig(String host, String fleet, BotImage image, Optional<String> network) {
    this(host, fleet, image, network, BotSandbox.HARDENED);
  }

  /** Reads the settings. */
  public static DockerConfig of(ServerConfig config) {
    List<String> faults = ContainerRequests.faults(config.get(Settings.BOT_DOCKER_TEMPLATE));
    if (!faults.isEmpty()) {
      throw new InvalidConfigException(
          faults.stream()
              .map(fault -> Settings.BOT_DOCKER_TEMPLATE.name() + ": " + fault)
              .toList());
    }
    return new DockerConfig(
        config.get(Settings.DOCKER_HOST).toString(),
        config.get(Settings.BOT_FLEET),
        BotImage.of(config),
        config.get(Settings.DOCKER_NETWORK),
        new BotSandbox(
            config.get(Settings.BOT_PROTOCOL).vexa(), config.get(Settings.BOT_DOCKER_TEMPLATE)));
  }
}
