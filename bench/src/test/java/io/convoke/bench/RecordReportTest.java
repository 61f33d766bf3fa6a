package io.convoke.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.bench.report.BenchmarkReport;
import io.convoke.bench.report.CandidateSeries;
import io.convoke.bench.report.CountTable;
import io.convoke.bench.report.MachineDescription;
import io.convoke.bench.report.MeasuredSample;
import io.convoke.bench.report.MeasurementGoal;
import io.convoke.bench.report.RateTable;
import io.convoke.bench.report.RecordReport;
import io.convoke.chaos.results.ResultsPage;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What a benchmark leaves for the page of results. */
class RecordReportTest {
  @Test
  void ratesCountsGoalsAndChecksAreOnThePage(@TempDir Path folder) throws Exception {
    MeasuredSample measuredSample =
        new MeasuredSample(2000, 0, millis(1000), millis(2), millis(9), millis(24));
    BenchmarkReport benchmarkReport =
        new BenchmarkReport(
            "sync",
            "a poll",
            List.of(
                new RateTable(
                    "16 connections",
                    List.of(new CandidateSeries("bare", List.of(measuredSample))))),
            List.of(
                new CountTable(
                    "calls", List.of("Redis"), List.of(CountTable.CountRow.of("ours", 3)))),
            List.of("all were answered"),
            List.of(MeasurementGoal.atLeast("of bare", 1, 0.65)),
            List.of());

    RecordReport.write(
        folder.resolve("sync.json"),
        "./convoke bench sync",
        new MachineDescription("2 cores"),
        List.of(benchmarkReport));

    assertThat(ResultsPage.of(folder))
        .contains(
            "## sync\n\n`./convoke bench sync`. Commit: ",
            "| bare | 2,000 | 2,000 to 2,000 | 2 | 9 | 12 | 1 |",
            "| ours | 3 |",
            "| of bare | 1 | at least 0.65 | met |",
            "Checked: all were answered.");
  }

  @Test
  void aQuickRunIsNotRecorded(@TempDir Path folder) {
    Path file = folder.resolve("sync.json");
    StringWriter text = new StringWriter();
    int code =
        new CommandLine(new BenchCommand())
            .setErr(new PrintWriter(text, true))
            .execute("sync", "--quick", "--record", file.toString());

    assertThat(code).isEqualTo(2);
    assertThat(text.toString()).contains("--quick");
    assertThat(Files.exists(file)).isFalse();
  }

  private static Duration millis(long count) {
    return Duration.ofMillis(count);
  }
}
