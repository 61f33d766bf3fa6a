package io.convoke.bench.report;

import io.convoke.lab.results.Measurement;
import io.convoke.lab.results.Measurement.Grid;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Reports as a record for {@code docs/results}: medians, counts, goals, checks. */
public final class RecordReport {
  private RecordReport() {}

  public static void write(Path file, String command, Machine machine, List<Report> reports)
      throws IOException {
    List<Grid> tables = new ArrayList<>();
    List<String> notes = new ArrayList<>();
    for (Report report : reports) {
      report.tables().forEach(table -> tables.add(rates(table)));
      report.counts().forEach(counts -> tables.add(counted(counts)));
      if (!report.goals().isEmpty()) {
        tables.add(goals(report.goals()));
      }
      report.checks().forEach(check -> notes.add("Checked: " + check + "."));
      report.wrong().forEach(wrong -> notes.add("WRONG: " + wrong + "."));
    }
    String title = String.join(", ", reports.stream().map(Report::benchmark).toList());
    Measurement.record(file, title, command, machine.line(), tables, notes);
  }

  private static Grid rates(Table table) {
    Series reference = table.series().getFirst();
    List<List<String>> rows =
        table.series().stream()
            .map(
                series ->
                    List.of(
                        series.candidate(),
                        number(series.median(Sample::perSecond)),
                        number(series.least(Sample::perSecond))
                            + " to "
                            + number(series.most(Sample::perSecond)),
                        number(series.median(sample -> sample.p50().toNanos() / 1e6)),
                        number(series.median(sample -> sample.p99().toNanos() / 1e6)),
                        number(series.median(Sample::cpuMicros)),
                        number(series.ratioTo(reference))))
            .toList();
    return new Grid(
        table.title(),
        List.of(
            "candidate",
            "median/s",
            "range",
            "p50 ms",
            "p99 ms",
            "CPU us",
            "of " + reference.candidate()),
        rows);
  }

  private static Grid counted(Counts counts) {
    List<String> columns = new ArrayList<>(List.of(""));
    columns.addAll(counts.columns());
    List<List<String>> rows = new ArrayList<>();
    for (Counts.Row row : counts.rows()) {
      List<String> cells = new ArrayList<>(List.of(row.name()));
      row.values().forEach(value -> cells.add(number(value)));
      rows.add(cells);
    }
    return new Grid(counts.title(), columns, rows);
  }

  private static Grid goals(List<Goal> goals) {
    return new Grid(
        "Goals",
        List.of("measured", "value", "goal", "result"),
        goals.stream()
            .map(
                goal ->
                    List.of(
                        goal.what(),
                        number(goal.measured()),
                        (goal.ceiling() ? "at most " : "at least ") + number(goal.wanted()),
                        goal.met() ? "met" : "missed"))
            .toList());
  }

  private static String number(double value) {
    boolean whole = value == Math.rint(value) || Math.abs(value) >= 1000;
    String digits = whole ? "%,.0f" : Math.abs(value) < 0.1 ? "%.4f" : "%,.2f";
    return String.format(Locale.ROOT, digits, value);
  }
}
