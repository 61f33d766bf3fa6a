package io.convoke.server.launch.docker;

import io.convoke.server.launch.BotImage;
import java.util.Optional;

/**
 * Where and how containers are made.
 *
 * @param host {@code unix:///var/run/docker.sock} or {@code tcp://host:port}
 * @param fleet whose bots they are: two installations on one engine need two names
 * @param network the network mode: a network's name, {@code host}, {@code none}; absent: the
 *     engine's own default
 */
public record DockerConfig(String host, String fleet, BotImage image, Optional<String> network) {}
