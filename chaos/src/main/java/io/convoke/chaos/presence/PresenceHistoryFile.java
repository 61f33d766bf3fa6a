package io.convoke.chaos.presence;

import io.convoke.chaos.HistoryLines;
import io.convoke.chaos.history.PresenceHistory;
import java.io.IOException;
import java.nio.file.Path;

/** Writes the history as text next to the logs of a failed run. */
final class PresenceHistoryFile {
  private PresenceHistoryFile() {}

  static void write(PresenceHistory presenceHistory, Path folder) throws IOException {
    HistoryLines.NONE
        .with("visits", presenceHistory.visits())
        .with("rows", presenceHistory.rows())
        .with("meetings", presenceHistory.meetings())
        .with("journal", presenceHistory.journal())
        .with("streams", presenceHistory.streams().streams())
        .with("faults", presenceHistory.windows())
        .with("calls", presenceHistory.calls())
        .with("reads", presenceHistory.observations())
        .write(folder);
  }
}
