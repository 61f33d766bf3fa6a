package io.convoke.bench.report;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Function;

/** A report as plain text. */
public final class TextReport {
  private TextReport() {}

  public static void print(Report report, PrintWriter out) {
    out.println();
    out.println(report.benchmark() + ": " + report.what());
    for (Table table : report.tables()) {
      Series reference = table.series().getFirst();
      out.println();
      out.printf(
          Locale.ROOT,
          "%-18s %10s %19s %9s %9s %8s %10s%n",
          table.title(),
          "median/s",
          "min..max",
          "p50 ms",
          "p99 ms",
          "cpu us",
          "of " + reference.candidate());
      table.series().forEach(series -> row(series, reference, out));
    }
    report.counts().forEach(counts -> counts(counts, out));
    out.println();
    report.checks().forEach(check -> out.println("checked  " + check));
    report.goals().forEach(goal -> out.println("goal     " + line(goal)));
    report.wrong().forEach(line -> out.println("WRONG    " + line));
    out.flush();
  }

  private static void counts(Counts counts, PrintWriter out) {
    out.println();
    out.printf(Locale.ROOT, "%-26s", counts.title());
    counts.columns().forEach(column -> out.printf(Locale.ROOT, " %18s", column));
    out.println();
    for (Counts.Row row : counts.rows()) {
      out.printf(Locale.ROOT, "  %-24s", row.name());
      row.values().forEach(value -> out.printf(Locale.ROOT, " %18s", number(value)));
      out.println();
    }
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value == Math.rint(value) ? "%,.0f" : "%,.4f", value);
  }

  private static String line(Goal goal) {
    String next =
        goal.next().isEmpty()
            ? ""
            : String.format(
                Locale.ROOT,
                "; the next, %.2f: %s",
                goal.next().getAsDouble(),
                goal.reaches(goal.next().getAsDouble()) ? "met" : "not yet");
    return String.format(
        Locale.ROOT,
        "%-44s %8s, %s %s: %s%s",
        goal.what(),
        amount(goal.measured()),
        goal.ceiling() ? "at most" : "at least",
        amount(goal.wanted()),
        goal.met() ? "met" : "MISSED",
        next);
  }

  /** Small numbers keep the digits that tell them apart. */
  private static String amount(double value) {
    return String.format(Locale.ROOT, Math.abs(value) < 0.1 && value != 0 ? "%.5f" : "%.2f", value);
  }

  private static void row(Series series, Series reference, PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "  %-16s %10.0f %19s %9.2f %9.2f %8.1f %10.2f%n",
        series.candidate(),
        series.median(Sample::perSecond),
        String.format(
            Locale.ROOT,
            "%.0f..%.0f",
            series.least(Sample::perSecond),
            series.most(Sample::perSecond)),
        millis(series, Sample::p50),
        millis(series, Sample::p99),
        series.median(Sample::cpuMicros),
        series.ratioTo(reference));
  }

  private static double millis(Series series, Function<Sample, Duration> of) {
    return series.median(sample -> of.apply(sample).toNanos() / 1e6);
  }
}
