package io.convoke.chaos.bots;

import java.time.Duration;
import java.util.Map;

/** Where the bots of a run live, and how what launches them lies. */
interface BotRuntime extends AutoCloseable {
  /** Settings of the servers. */
  Map<String, String> settings();

  BotProcesses processes();

  /** Whatever launches bots is away for a while. */
  void takeAway(Duration down);

  /** From now on nothing is broken. */
  void calm();

  @Override
  void close();
}
