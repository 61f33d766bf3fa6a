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
    out.println();
    report.checks().forEach(check -> out.println("checked  " + check));
    for (Goal goal : report.goals()) {
      out.printf(
          Locale.ROOT,
          "goal     %-44s %5.2f, wanted %.2f: %s%n",
          goal.what(),
          goal.measured(),
          goal.atLeast(),
          goal.met() ? "met" : "MISSED");
    }
    out.flush();
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
