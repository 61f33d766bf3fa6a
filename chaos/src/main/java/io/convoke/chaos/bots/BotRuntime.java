package io.convoke.chaos.bots;

import java.time.Duration;
import java.util.Map;

/** Where the bots of a run are executed, and how their launcher fails. */
interface BotRuntime extends AutoCloseable {
  /** Settings of the servers. */
  Map<String, String> settings();

  BotProcesses processes();

  /** Makes the launcher's backend unavailable for a while. */
  void takeAway(Duration down);

  /** Stops injecting faults. */
  void calm();

  @Override
  void close();
}
