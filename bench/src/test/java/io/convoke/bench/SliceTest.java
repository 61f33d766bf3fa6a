package io.convoke.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Each benchmark once, short. Every build runs the one that counts lost signals; {@code ./convoke
 * test --all} adds those that measure. What they print is checked; how fast the machine is, is not.
 */
@Tag("split")
final class SliceTest {
  private final StringWriter text = new StringWriter();

  @Test
  @Tag("nightly")
  void botsCostLittleWhileTheyLiveAndNothingOnceTheyEnded() {
    int code = run("bots", "--quick");

    assertThat(code).as(text.toString()).isZero();
    assertThat(text.toString())
        .contains("the bots that fell silent were ended")
        .containsPattern("transactions a second for heartbeats .*: met")
        .containsPattern("rows that a sweep fetches beside the live bots, nothing due .*: met");
  }

  @Test
  @Tag("nightly")
  void webhooksReportsRatiosOfTheSameRun(@TempDir Path folder) throws Exception {
    Path json = folder.resolve("bench.json");

    int code = run("webhooks", "--quick", "--json", json.toString());

    assertThat(code).as(text.toString()).isZero();
    assertThat(text.toString())
        .contains("machine  ", "Postgres 18", "bare", "naive", "ours", "ours / bare");
    assertThat(Files.readString(json)).contains("\"ratio_to_bare\"", "\"rounds\"", "\"machine\"");
  }

  @Test
  @Tag("nightly")
  void noSignalIsLostAtAnyPointOfAPollAndTheSeedLosesSome() {
    int code = run("lost-signals", "--quick");

    assertThat(code).as(text.toString()).isZero();
    List<String> sums =
        text.toString()
            .lines()
            .filter(line -> line.matches("  (ours|seed's protocol) +\\d.*"))
            .toList();
    assertThat(sums).hasSize(2);
    assertThat(lost(sums.getFirst())).as("the seed's protocol").isPositive();
    assertThat(lost(sums.getLast())).as("ours").isZero();
  }

  @Test
  @Tag("nightly")
  void presenceCostsAFractionOfTheSeedsLoop() {
    int code = run("presence", "--quick");

    assertThat(code).as(text.toString()).isZero();
    assertThat(text.toString())
        .contains("every newcomer was in the rows", "webhook to row, window 0")
        .containsPattern("Redis calls, ours / seed .*: met")
        .containsPattern("transactions, ours / seed .*: met");
  }

  @Test
  @Tag("nightly")
  void leasesAreTakenGivenBackAndKeptBesideOthers() {
    int code = run("locks", "--quick");

    assertThat(code).as(text.toString()).isZero();
    assertThat(text.toString())
        .contains("hand-written", "redisson", "no lock was left behind", "1,000 held")
        .containsPattern("renewals, all commands, ours / redisson .*: met")
        .containsPattern("renewals sent at equal terms, ours / redisson .*: met");
  }

  @Test
  @Tag("nightly")
  void tasksLiveBesideOthersAndEachWakesOnePod() {
    int code = run("dispatch", "--quick");

    assertThat(code).as(text.toString()).isZero();
    assertThat(text.toString())
        .contains("streams by hand", "SKIPPED  BullMQ", "every task that was taken in has ended")
        .containsPattern("pods that one task wakes .*: met");
  }

  /** The third number of a line. */
  private static long lost(String line) {
    String[] words = line.replace("seed's protocol", "seed").strip().split(" +", -1);
    return Long.parseLong(words[3].replace(",", ""));
  }

  @Test
  @Tag("nightly")
  void growthHasARowForEachSize() {
    int code = run("growth", "--quick");
    assertThat(code).as(text.toString()).isZero();
    assertThat(text.toString())
        .contains("jobs scheduled for later", "  10,000 ", "events of a history", "  1,000 ");
  }

  @Test
  void aNameThatDoesNotExistIsWrongUsage() {
    assertThat(run("nonsense")).isEqualTo(2);
    assertThat(text.toString()).contains("--list shows the benchmarks");
  }

  private int run(String... arguments) {
    PrintWriter out = new PrintWriter(text, true);
    return new CommandLine(new BenchCommand()).setOut(out).setErr(out).execute(arguments);
  }
}
