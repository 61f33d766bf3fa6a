package io.convoke.chaos.bots;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Bots as local processes. */
final class ProcessBotRuntime implements BotRuntime {
  private final String command;
  private final BotProcesses processes;

  ProcessBotRuntime(Path folder, Path records, String mark, Optional<String> bot)
      throws IOException {
    this.command = FaultyLauncher.command(folder, mark, bot);
    this.processes = new BotProcessTable(mark, records);
  }

  @Override
  public Map<String, String> settings() {
    return Map.of("CONVOKE_BOT_COMMAND", command);
  }

  @Override
  public BotProcesses processes() {
    return processes;
  }

  @Override
  public void takeAway(Duration down) {
    throw new IllegalStateException("the process launcher is part of the server");
  }

  @Override
  public void calm() {
    // There is no backend that could fail.
  }

  @Override
  public void close() {
    processes.endAll();
  }
}
