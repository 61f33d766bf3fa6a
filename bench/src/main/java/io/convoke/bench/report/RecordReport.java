package io.convoke.bench.report;

import io.convoke.chaos.results.Measurement;
import io.convoke.chaos.results.Measurement.Grid;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Reports as a record for {@code docs/results}: medians, counts, goals, checks. */
public final class RecordReport {
  private RecordReport() {}

  public static void write(
      Path file,
      String command,
      MachineDescription machineDescription,
      List<BenchmarkReport> reports)
      throws IOException {
    List<Grid> tables = new ArrayList<>();
    List<String> notes = new ArrayList<>();
    for (BenchmarkReport benchmarkReport : reports) {
      benchmarkReport.tables().forEach(rateTable -> tables.add(rates(rateTable)));
      benchmarkReport.counts().forEach(countTable -> tables.add(counted(countTable)));
      if (!benchmarkReport.goals().isEmpty()) {
        tables.add(goals(benchmarkReport.goals()));
      }
      benchmarkReport.checks().forEach(check -> notes.add("Checked: " + check + "."));
      benchmarkReport.wrong().forEach(wrong -> notes.add("WRONG: " + wrong + "."));
    }
    String title = String.join(", ", reports.stream().map(BenchmarkReport::benchmark).toList());
    Measurement.record(file, title, command, machineDescription.line(), tables, notes);
  }

  private static Grid rates(RateTable rateTable) {
    CandidateSeries reference = rateTable.series().getFirst();
    List<List<String>> rows =
        rateTable.series().stream()
            .map(
                candidateSeries ->
                    List.of(
                        candidateSeries.candidate(),
                        number(candidateSeries.median(MeasuredSample::perSecond)),
                        number(candidateSeries.least(MeasuredSample::perSecond))
                            + " to "
                            + number(candidateSeries.most(MeasuredSample::perSecond)),
                        number(
                            candidateSeries.median(
                                measuredSample -> measuredSample.p50().toNanos() / 1e6)),
                        number(
                            candidateSeries.median(
                                measuredSample -> measuredSample.p99().toNanos() / 1e6)),
                        number(candidateSeries.median(MeasuredSample::cpuMicros)),
                        number(candidateSeries.ratioTo(reference))))
            .toList();
    return new Grid(
        rateTable.title(),
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

  private static Grid counted(CountTable countTable) {
    List<String> columns = new ArrayList<>(List.of(""));
    columns.addAll(countTable.columns());
    List<List<String>> rows = new ArrayList<>();
    for (CountTable.CountRow countRow : countTable.rows()) {
      List<String> cells = new ArrayList<>(List.of(countRow.name()));
      countRow.values().forEach(value -> cells.add(number(value)));
      rows.add(cells);
    }
    return new Grid(countTable.title(), columns, rows);
  }

  private static Grid goals(List<MeasurementGoal> goals) {
    return new Grid(
        "Goals",
        List.of("measured", "value", "goal", "result"),
        goals.stream()
            .map(
                measurementGoal ->
                    List.of(
                        measurementGoal.what(),
                        number(measurementGoal.measured()),
                        (measurementGoal.ceiling() ? "at most " : "at least ")
                            + number(measurementGoal.wanted()),
                        measurementGoal.met() ? "met" : "missed"))
            .toList());
  }

  private static String number(double value) {
    boolean whole = value == Math.rint(value) || Math.abs(value) >= 1000;
    String digits = whole ? "%,.0f" : Math.abs(value) < 0.1 ? "%.4f" : "%,.2f";
    return String.format(Locale.ROOT, digits, value);
  }
}
