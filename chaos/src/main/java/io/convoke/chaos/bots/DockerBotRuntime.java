package io.convoke.chaos.bots;

import io.convoke.fakes.docker.DockerDaemon;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** Bots as containers of a real engine, which servers reach through a faulty proxy. */
final class DockerBotRuntime implements BotRuntime {
  /** Enough for a bot, and quickly exceeded by a process that leaks. */
  private static final String MEMORY = "256m";

  private final DockerDaemon engine;
  private final String mark;
  private final DockerFaultProxy relay;
  private final BotContainers containers;

  DockerBotRuntime(
      DockerDaemon engine, Path folder, String mark, DockerFaultProxy.DockerFaultRates rates)
      throws IOException {
    this.engine = engine;
    this.mark = mark;
    this.relay = DockerFaultProxy.start(rates, folder.resolve("engine.sock"), engine.socket());
    this.containers = new BotContainers(engine.socket(), mark);
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
        FaultyBotImage.NAME,
        "CONVOKE_BOT_PULL",
        "never",
        "CONVOKE_BOT_MEMORY",
        MEMORY,
        "CONVOKE_BOT_FLEET",
        mark);
  }

  @Override
  public BotProcesses processes() {
    return containers;
  }

  /** Kills the engine; containerd keeps the containers running and the engine reattaches. */
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
