package io.convoke.lab.chaos.presence;

import io.convoke.lab.chaos.HistoryLines;
import io.convoke.lab.chaos.history.History;
import java.io.IOException;
import java.nio.file.Path;

/** A whole history as text, one line each, beside the logs of a run that went wrong. */
final class HistoryFile {
  private HistoryFile() {}

  static void write(History history, Path folder) throws IOException {
    HistoryLines.NONE
        .with("visits", history.visits())
        .with("rows", history.rows())
        .with("meetings", history.meetings())
        .with("journal", history.journal())
        .with("stream", history.stream())
        .with("calls", history.calls())
        .with("looks", history.looks())
        .write(folder);
  }
}
