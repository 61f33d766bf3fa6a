package io.convoke.lab.chaos.durable;

import io.convoke.lab.chaos.durable.verdict.FlowHistory;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A whole history as text, one line each, beside the logs of a run that went wrong. */
final class HistoryFile {
  private HistoryFile() {}

  static void write(FlowHistory history, Path file) throws IOException {
    try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(file))) {
      list(out, "flows", history.flows());
      list(out, "acknowledged", history.acknowledged().stream().sorted().toList());
      list(out, "instances", history.instances());
      list(out, "executions", history.executions());
      list(out, "events", history.events());
      list(out, "bookings", history.bookings());
      list(out, "tried", history.tried());
      list(out, "restarts", history.restarts());
      list(out, "left", history.left());
    }
  }

  private static void list(PrintWriter out, String title, List<?> all) {
    out.println("# " + title);
    all.forEach(out::println);
  }
}
