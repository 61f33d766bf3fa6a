package io.convoke.bench.report;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Function;

/** A report as plain text. */
public final class TextReport {
  private TextReport() {}

  public static void print(BenchmarkReport benchmarkReport, PrintWriter out) {
    out.println();
    out.println(benchmarkReport.benchmark() + ": " + benchmarkReport.what());
    for (RateTable rateTable : benchmarkReport.tables()) {
      CandidateSeries reference = rateTable.series().getFirst();
      out.println();
      out.printf(
          Locale.ROOT,
          "%-18s %10s %19s %9s %9s %8s %10s%n",
          rateTable.title(),
          "median/s",
          "min..max",
          "p50 ms",
          "p99 ms",
          "cpu us",
          "of " + reference.candidate());
      rateTable.series().forEach(candidateSeries -> row(candidateSeries, reference, out));
    }
    benchmarkReport.counts().forEach(countTable -> counts(countTable, out));
    out.println();
    benchmarkReport.checks().forEach(check -> out.println("checked  " + check));
    benchmarkReport
        .goals()
        .forEach(measurementGoal -> out.println("goal     " + line(measurementGoal)));
    benchmarkReport.wrong().forEach(line -> out.println("WRONG    " + line));
    out.flush();
  }

  private static void counts(CountTable countTable, PrintWriter out) {
    out.println();
    out.printf(Locale.ROOT, "%-26s", countTable.title());
    countTable.columns().forEach(column -> out.printf(Locale.ROOT, " %18s", column));
    out.println();
    for (CountTable.CountRow countRow : countTable.rows()) {
      out.printf(Locale.ROOT, "  %-24s", countRow.name());
      countRow.values().forEach(value -> out.printf(Locale.ROOT, " %18s", number(value)));
      out.println();
    }
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value == Math.rint(value) ? "%,.0f" : "%,.4f", value);
  }

  private static String line(MeasurementGoal measurementGoal) {
    String next =
        measurementGoal.next().isEmpty()
            ? ""
            : String.format(
                Locale.ROOT,
                "; the next, %.2f: %s",
                measurementGoal.next().getAsDouble(),
                measurementGoal.reaches(measurementGoal.next().getAsDouble()) ? "met" : "not yet");
    return String.format(
        Locale.ROOT,
        "%-44s %8s, %s %s: %s%s",
        measurementGoal.what(),
        amount(measurementGoal.measured()),
        measurementGoal.ceiling() ? "at most" : "at least",
        amount(measurementGoal.wanted()),
        measurementGoal.met() ? "met" : "MISSED",
        next);
  }

  /** Small numbers keep their significant digits. */
  private static String amount(double value) {
    return String.format(Locale.ROOT, Math.abs(value) < 0.1 && value != 0 ? "%.5f" : "%.2f", value);
  }

  private static void row(
      CandidateSeries candidateSeries, CandidateSeries reference, PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "  %-16s %10.0f %19s %9.2f %9.2f %8.1f %10.2f%n",
        candidateSeries.candidate(),
        candidateSeries.median(MeasuredSample::perSecond),
        String.format(
            Locale.ROOT,
            "%.0f..%.0f",
            candidateSeries.least(MeasuredSample::perSecond),
            candidateSeries.most(MeasuredSample::perSecond)),
        millis(candidateSeries, MeasuredSample::p50),
        millis(candidateSeries, MeasuredSample::p99),
        candidateSeries.median(MeasuredSample::cpuMicros),
        candidateSeries.ratioTo(reference));
  }

  private static double millis(
      CandidateSeries candidateSeries, Function<MeasuredSample, Duration> of) {
    return candidateSeries.median(measuredSample -> of.apply(measuredSample).toNanos() / 1e6);
  }
}
