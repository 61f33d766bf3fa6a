package io.convoke.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * One run as it is kept in {@code docs/results}: a file of JSON, from which {@link ResultsPage}
 * makes the page.
 *
 * @param command what was run
 * @param commit what was measured, or {@code unknown}
 * @param date the day of the run, ISO 8601
 * @param reportedIn the commit that brought the numbers, for runs older than this format
 * @param notes one sentence each: what the numbers do not say
 */
public record Measurement(
    String title,
    String command,
    String commit,
    String date,
    @Nullable String reportedIn,
    String machine,
    List<Grid> tables,
    List<String> notes) {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
          .enable(SerializationFeature.INDENT_OUTPUT)
          .build();

  /**
   * A table of texts.
   *
   * @param title empty, or what the rows have in common
   */
  public record Grid(String title, List<String> columns, List<List<String>> rows) {
    public Grid {
      if (rows.stream().anyMatch(row -> row.size() != columns.size())) {
        throw new IllegalArgumentException("every row of '" + title + "' needs " + columns);
      }
    }
  }

  public static Measurement read(Path file) throws IOException {
    return MAPPER.readValue(Files.readAllBytes(file), Measurement.class);
  }

  public void write(Path file) throws IOException {
    Path _ = Files.writeString(file, MAPPER.writeValueAsString(this) + "\n");
  }

  /** What reports say, as tables. */
  public static Measurement of(
      String command, String commit, String date, String machine, List<Report> reports) {
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
    return new Measurement(title, command, commit, date, null, machine, tables, notes);
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
