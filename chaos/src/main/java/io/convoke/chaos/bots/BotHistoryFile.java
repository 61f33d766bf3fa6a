package io.convoke.chaos.bots;

import io.convoke.chaos.HistoryLines;
import io.convoke.chaos.bots.rules.BotHistory;
import java.io.IOException;
import java.nio.file.Path;

/** Writes the history as text next to the logs of a failed run. */
final class BotHistoryFile {
  private BotHistoryFile() {}

  static void write(BotHistory history, Path folder) throws IOException {
    HistoryLines.NONE
        .with("bots", history.bots())
        .with("transitions", history.transitions())
        .with("asked", history.userCalls())
        .with("faults", history.injectedFaults())
        .with("deadlines counted from", history.countedFrom())
        .with("processes of ended bots", history.runsOn())
        .with("callbacks", history.calls())
        .with("replays", history.replayResult().replays())
        .with("replay", history.replay())
        .write(folder);
  }
}
