package io.convoke.chaos.durable;

import io.convoke.chaos.HistoryLines;
import io.convoke.chaos.durable.rules.FlowHistory;
import java.io.IOException;
import java.nio.file.Path;

/** A whole history as text, one line each, beside the logs of a run that went wrong. */
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
