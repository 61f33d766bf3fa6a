package io.convoke.lab.chaos.bots;

import io.convoke.lab.chaos.bots.verdict.BotHistory;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A whole history as text, one line each, beside the logs of a run that went wrong. */
final class HistoryFile {
  private HistoryFile() {}

  static void write(BotHistory history, Path file) throws IOException {
    try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(file))) {
      list(out, "bots", history.bots());
      list(out, "moves", history.moves());
      list(out, "asked", history.asked());
      list(out, "deeds", history.deeds());
      list(out, "deadlines counted from", history.countedFrom());
      list(out, "processes behind rows that were over", history.runsOn());
      list(out, "callbacks", history.calls());
      list(out, "ghosts", history.haunting().ghosts());
      list(out, "replay", history.replay());
    }
  }

  private static void list(PrintWriter out, String title, List<?> all) {
    out.println("# " + title);
    all.forEach(out::println);
  }
}
