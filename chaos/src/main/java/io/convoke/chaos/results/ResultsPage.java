package io.convoke.chaos.results;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The page {@code docs/results.md}, made of the measurements in {@code docs/results}. */
public final class ResultsPage {
  private static final String HEAD =
      """
      # Results

      Generated from the [records](results/README.md); do not edit. What is measured: [benchmarks](reference/bench.md), [chaos](reference/chaos.md). Rates depend
      on the machine: compare ratios. Runs that did not note their commit name the one that reported them.
      """;

  private ResultsPage() {}

  /** The page for a folder of records, in the order of their files' names. */
  public static String of(Path folder) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(folder)) {
      files = all.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    }
    StringBuilder page = new StringBuilder(HEAD);
    for (Path file : files) {
      try {
        page.append('\n').append(section(Measurement.read(file)));
      } catch (IOException e) {
        throw new UncheckedIOException("unreadable record: " + file, e);
      }
    }
    return page.toString();
  }

  /** Writes the page beside the folder. */
  public static void write(Path folder) throws IOException {
    Path _ = Files.writeString(folder.resolveSibling("results.md"), of(folder));
  }

  private static String section(Measurement measured) {
    List<String> lines = new ArrayList<>();
    lines.add("## " + measured.title());
    lines.add("");
    String commit =
        measured
            .reportedIn()
            .map(reporting -> "Reported in: `" + reporting + "`")
            .orElse("Commit: " + measured.commit());
    lines.add(
        "`%s`. %s. Date: %s. Machine: %s."
            .formatted(measured.command(), commit, measured.date(), measured.machine()));
    for (Measurement.Grid table : measured.tables()) {
      lines.add("");
      if (!table.title().isEmpty()) {
        lines.add(table.title() + ":");
        lines.add("");
      }
      lines.add(row(table.columns()));
      lines.add("|" + "---|".repeat(table.columns().size()));
      table.rows().forEach(cells -> lines.add(row(cells)));
    }
    for (String note : measured.notes()) {
      lines.add("");
      lines.add(note);
    }
    return String.join("\n", lines) + "\n";
  }

  private static String row(List<String> cells) {
    return "| " + String.join(" | ", cells.stream().map(ResultsPage::cell).toList()) + " |";
  }

  private static String cell(String text) {
    return text.replace("|", "\\|");
  }
}
