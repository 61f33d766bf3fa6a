package io.convoke.chaos.durable;

import io.convoke.chaos.HistoryLines;
import io.convoke.chaos.durable.rules.FlowHistory;
import java.io.IOException;
import java.nio.file.Path;

/** Writes the history as text next to the logs of a failed run. */
final class FlowHistoryFile {
  private FlowHistoryFile() {}

  static void write(FlowHistory history, Path folder) throws IOException {
    HistoryLines.NONE
        .with("flows", history.flows())
        .with("acknowledged", history.acknowledged().stream().sorted().toList())
        .with("instances", history.instances())
        .with("executions", history.executions())
        .with("events", history.events())
        .with("bookings", history.bookings())
        .with("tried", history.tried())
        .with("restarts", history.restarts())
        .with("left", history.left())
        .write(folder);
  }
}
