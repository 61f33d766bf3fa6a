package io.convoke.lab.chaos.bots;

import io.convoke.lab.docker.Dockerd;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** Bots as containers of a real engine, which the servers reach through a relay that breaks. */
final class InContainers implements Hosting {
  /** Enough for a bot, and soon used up by what wants all. */
  private static final String MEMORY = "256m";

  private final Dockerd engine;
  private final String mark;
  private final EngineRelay relay;
  private final Containers containers;

  InContainers(Dockerd engine, Path folder, String mark, EngineRelay.Chances chances)
      throws IOException {
    this.engine = engine;
    this.mark = mark;
    this.relay = EngineRelay.start(chances, folder.resolve("engine.sock"), engine.socket());
    this.containers = new Containers(engine.socket(), mark);
  }

  @Override
  public Map<String, String> settings() {
    return Map.of(
        "CONVOKE_BOT_LAUNCHER",
        "docker",
        "CONVOKE_DOCKER_HOST",
        "unix://" + relay.socket(),
        "CONVOKE_DOCKER_NETWORK",
        "host",
        "CONVOKE_BOT_IMAGE",
        LyingImage.NAME,
        "CONVOKE_BOT_PULL",
        "never",
        "CONVOKE_BOT_MEMORY",
        MEMORY,
        "CONVOKE_BOT_FLEET",
        mark);
  }

  @Override
  public Processes processes() {
    return containers;
  }

  /** The engine dies; what really runs the containers goes on, and the engine finds it again. */
  @Override
  public void takeAway(Duration down) {
    containers.away(true);
    engine.kill();
    LockSupport.parkNanos(down.toNanos());
    try {
      engine.restart();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    containers.away(false);
  }

  @Override
  public void calm() {
    relay.calm();
  }

  @Override
  public void close() {
    containers.endAll();
    relay.close();
  }
}
