package io.convoke.lab.chaos.presence;

import io.convoke.lab.chaos.history.History;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A whole history as text, one line each, beside the logs of a run that went wrong. */
final class HistoryFile {
  private HistoryFile() {}

  static void write(History history, Path file) throws IOException {
    try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(file))) {
      list(out, "visits", history.visits());
      list(out, "rows", history.rows());
      list(out, "meetings", history.meetings());
      list(out, "journal", history.journal());
      list(out, "stream", history.stream());
      list(out, "calls", history.calls());
      list(out, "looks", history.looks());
    }
  }

  private static void list(PrintWriter out, String title, List<?> all) {
    out.println("# " + title);
    all.forEach(out::println);
  }
}
