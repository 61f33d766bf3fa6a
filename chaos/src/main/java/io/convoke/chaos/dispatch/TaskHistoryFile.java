package io.convoke.chaos.dispatch;

import io.convoke.chaos.HistoryLines;
import io.convoke.chaos.dispatch.rules.TaskHistory;
import java.io.IOException;
import java.nio.file.Path;

/** Writes the history as text next to the logs of a failed run. */
final class TaskHistoryFile {
  private TaskHistoryFile() {}

  static void write(TaskHistory history, Path folder) throws IOException {
    HistoryLines.NONE
        .with("asked", history.requestedTasks())
        .with("answers", history.answers())
        .with("stops", history.stops())
        .with("attempts", history.attempts())
        .with("journal", history.transitions())
        .with("ledger", history.rows())
        .with("shown", history.shown())
        .with("silences", history.silences())
        .with("drained", history.drained())
        .with("faults", history.evidence().windows())
        .with("pods", history.evidence().regions().entrySet())
        .with("troubles", history.troubles())
        .with("left", history.left())
        .write(folder);
  }
}
