package io.convoke.chaos.results;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of results is what its records say. */
class ResultsPageTest {
  private static final Path RECORDS = Path.of("..", "docs", "results");

  /** {@code -Dresults.write=true} writes the page instead. */
  @Test
  void thePageIsGeneratedFromTheRecords() throws Exception {
    if (Boolean.getBoolean("results.write")) {
      ResultsPage.write(RECORDS);
    }
    assertThat(Files.readString(RECORDS.resolveSibling("results.md")))
        .isEqualTo(ResultsPage.of(RECORDS));
  }

  @Test
  void aRunIsRecordedAndThePageFollows(@TempDir Path folder) throws Exception {
    Path records = Files.createDirectory(folder.resolve("results"));
    Path _ = Files.writeString(folder.resolve("results.md"), "old");
    Measurement.Grid table =
        new Measurement.Grid("seeds", List.of("", "ok"), List.of(List.of("runs | all", "2")));

    Measurement.record(
        records.resolve("chaos-sync.json"),
        "Chaos: sync",
        "./convoke chaos sync",
        "2 cores",
        List.of(table),
        List.of("A note."));

    assertThat(Files.readString(folder.resolve("results.md")))
        .contains("## Chaos: sync\n\n`./convoke chaos sync`. Commit: ")
        .contains(" Machine: 2 cores.\n\nseeds:\n\n|  | ok |\n|---|---|\n| runs \\| all | 2 |")
        .endsWith("A note.\n");
  }

  @Test
  void theCommandIsPrintedWithoutItsRecordOption() {
    assertThat(Measurement.command("chaos", List.of("sync", "--record", "x.json", "--seed", "7")))
        .isEqualTo("./convoke chaos sync --seed 7");
    assertThat(Measurement.command("bench", List.of("--record=x.json", "sync")))
        .isEqualTo("./convoke bench sync");
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
}
