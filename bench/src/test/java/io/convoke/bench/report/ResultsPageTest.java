package io.convoke.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of results is what its records say. */
class ResultsPageTest {
  private static final Path RECORDS = Path.of("..", "docs", "results");

  /** {@code -Dresults.write=true} writes the page instead. */
  @Test
  void thePageIsMadeOfTheRecords() throws Exception {
    if (Boolean.getBoolean("results.write")) {
      ResultsPage.write(RECORDS);
    }
    assertThat(Files.readString(RECORDS.resolveSibling("results.md")))
        .isEqualTo(ResultsPage.of(RECORDS));
  }

  @Test
  void aRunIsRecordedAndRead(@TempDir Path folder) throws Exception {
    Sample sample = new Sample(2000, 0, Duration.ofSeconds(1), millis(2), millis(9), millis(24));
    Report report =
        new Report(
            "sync",
            "a poll",
            List.of(new Table("16 connections", List.of(new Series("bare", List.of(sample))))),
            List.of(new Counts("calls", List.of("Redis"), List.of(Counts.Row.of("ours", 3)))),
            List.of("all were answered"),
            List.of(Goal.atLeast("of bare", 1, 0.65)),
            List.of());
    Path records = Files.createDirectory(folder.resolve("results"));

    Measurement.of("./convoke bench sync", "abc", "2026-11-24", "2 cores", List.of(report))
        .write(records.resolve("bench-sync.json"));
    ResultsPage.write(records);

    assertThat(Files.readString(folder.resolve("results.md")))
        .contains(
            "## sync\n\n`./convoke bench sync`. Commit: abc. Date: 2026-11-24. Machine: 2 cores.",
            "| bare | 2,000 | 2,000 to 2,000 | 2 | 9 | 12 | 1 |",
            "| ours | 3 |",
            "| of bare | 1 | at least 0.65 | met |",
            "Checked: all were answered.");
  }

  @Test
  void aRowWithTooFewCellsIsRefused() {
    assertThatThrownBy(
            () -> new Measurement.Grid("t", List.of("a", "b"), List.of(List.of("only one"))))
        .hasMessageContaining("every row of 't'");
  }

  @Test
  void aRecordNamesACommit() throws Exception {
    assertThat(Checkout.commit()).matches("unknown|[0-9a-f]{8,}(\\+changes)?");
  }

  private static Duration millis(long count) {
    return Duration.ofMillis(count);
  }
}
