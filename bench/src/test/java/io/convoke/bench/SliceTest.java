package io.convoke.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.lab.chaos.ChaosCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * The slice of bench and chaos that every build runs: one seed against a real server, and each
 * benchmark once. What they print is looked at; how fast the machine is, is not.
 */
final class SliceTest {
  private final StringWriter text = new StringWriter();

  @Test
  void aSeedOfPresenceChaosComesOutRight() {
    int code = run(new CommandLine(new ChaosCommand()), "presence", "--seed", "5", "--quick");

    assertThat(text.toString()).contains("presence seed 5:", "kill -9 of server 0", "0 lost");
    assertThat(code).as(text.toString()).isZero();
  }

  @Test
  void aSeedOfBotChaosComesOutRight() {
    int code = run(new CommandLine(new ChaosCommand()), "bots", "--seed", "3", "--seconds", "8");

    assertThat(text.toString()).contains("bots seed 3:", "kill -9 of servers", "0 lost");
    assertThat(code).as(text.toString()).isZero();
  }

  @Test
  void aSeedOfDurableChaosComesOutRight() {
    int code = run(new CommandLine(new ChaosCommand()), "durable", "--seed", "25", "--quick");

    assertThat(text.toString()).contains("durable seed 25:", "kill -9 of node", "0 lost");
    assertThat(code).as(text.toString()).isZero();
  }

  @Test
  void aSeedOfSyncChaosComesOutRight() {
    int code = run(new CommandLine(new ChaosCommand()), "sync", "--seed", "4", "--seconds", "12");

    assertThat(text.toString()).contains("sync seed 4:", "0 regressions, 0 wrong reads", "0 lost");
    assertThat(code).as(text.toString()).isZero();
  }

  @Test
  void aSeedOfRecordingChaosComesOutRight() {
    int code = run(new CommandLine(new ChaosCommand()), "recordings", "--seed", "3", "--quick");

    assertThat(text.toString()).contains("recordings seed 3:", "kill -9 of servers", "0 lost");
    assertThat(code).as(text.toString()).isZero();
  }

  @Test
  void aSeedOfDispatchChaosComesOutRight() {
    int code = run(new CommandLine(new ChaosCommand()), "dispatch", "--seed", "24", "--quick");

    assertThat(text.toString())
        .contains("dispatch seed 24:", "kill -9 of pod", "kill -9 of server", "0 lost");
    assertThat(code).as(text.toString()).isZero();
  }

  @Test
  void botsCostLittleWhileTheyLiveAndNothingOnceTheyEnded() {
    int code = run(new CommandLine(new BenchCommand()), "bots", "--quick");

    assertThat(code).as(text.toString()).isZero();
    assertThat(text.toString())
        .contains("the bots that fell silent were ended")
        .containsPattern("transactions a second for heartbeats .*: met")
        .containsPattern("rows that a sweep fetches, nothing due .*: met");
  }

  @Test
  void webhooksRunsAndTellsRatiosOfTheSameRun(@TempDir Path folder) throws Exception {
    Path json = folder.resolve("bench.json");

    int code =
        run(new CommandLine(new BenchCommand()), "webhooks", "--quick", "--json", json.toString());

    assertThat(code).as(text.toString()).isZero();
    assertThat(text.toString())
        .contains("machine  ", "Postgres 18", "bare", "naive", "ours", "ours / bare");
    assertThat(Files.readString(json)).contains("\"ratio_to_bare\"", "\"rounds\"", "\"machine\"");
  }

  @Test
  void noSignalIsLostAtAnyPointOfAPollAndTheSeedLosesSome() {
    int code = run(new CommandLine(new BenchCommand()), "lost-signals", "--quick");

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
  void presenceCostsAFractionOfTheSeedsLoop() {
    int code = run(new CommandLine(new BenchCommand()), "presence", "--quick");

    assertThat(code).as(text.toString()).isZero();
    assertThat(text.toString())
        .contains("every newcomer was in the rows", "webhook to row, window 0")
        .containsPattern("Redis calls, ours / seed .*: met")
        .containsPattern("transactions, ours / seed .*: met");
  }

  @Test
  void leasesAreTakenGivenBackAndKeptBesideOthers() {
    int code = run(new CommandLine(new BenchCommand()), "locks", "--quick");

    assertThat(code).as(text.toString()).isZero();
    assertThat(text.toString())
        .contains("hand-written", "redisson", "no lock was left behind", "1,000 held")
        .containsPattern("renewals, all commands, ours / redisson .*: met")
        .containsPattern("renewals sent at equal terms, ours / redisson .*: met");
  }

  @Test
  void tasksLiveBesideOthersAndEachWakesOnePod() {
    int code = run(new CommandLine(new BenchCommand()), "dispatch", "--quick");

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
  void aNameThatDoesNotExistIsWrongUsage() {
    assertThat(run(new CommandLine(new BenchCommand()), "nonsense")).isEqualTo(2);
    assertThat(run(new CommandLine(new ChaosCommand()), "nonsense")).isEqualTo(2);
    assertThat(text.toString()).contains("--list shows what there is");
  }

  private int run(CommandLine command, String... arguments) {
    PrintWriter out = new PrintWriter(text, true);
    return command.setOut(out).setErr(out).execute(arguments);
  }
}
