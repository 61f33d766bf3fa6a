package io.convoke.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.convoke.chaos.ChaosCommand;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/**
 * Chaos against real servers with the seeds of {@code chaos-seeds.txt}. Every build runs the fixed
 * seed of one scenario, which follows from the commit; {@code ./convoke test --all} adds those of
 * the others, each seed that was ever wrong, and the seed that follows from the commit.
 */
@Tag("split")
@Tag("alone")
@Timeout(240)
final class ChaosSliceTest {
  private static final List<String> SCENARIOS =
      List.of("presence", "bots", "durable", "sync", "recordings", "dispatch", "webhooks", "rooms");

  /** Fewer operations than this show nothing. */
  private static final int OPERATIONS_MIN = 50;

  private static final Pattern KILLED = Pattern.compile("(\\d+) programs ended by kill -9");
  private static final Pattern VERDICT =
      Pattern.compile(
          "^(\\w+) seed \\d+: (\\d+) operations, .*\\b0 lost, 0 duplicated, 0 illegal, .*: ok$",
          Pattern.MULTILINE);

  @Test
  void aScenarioThatFollowsFromTheCommitIsOk() throws IOException {
    // Those of successive commits differ.
    List<String> lines = seeds("fixed").toList();
    long commit = seedOfTheCommit().map(Long::parseLong).orElse(0L);
    comesOutRight(lines.get((int) (commit % lines.size())));
  }

  @Tag("nightly")
  @TestFactory
  Stream<DynamicTest> theFixedSeedOfEachScenarioIsOk() throws IOException {
    return each(seeds("fixed"));
  }

  @Tag("nightly")
  @Timeout(900)
  @Test
  void aSeedOfRoomChaosIsOk() {
    comesOutRight("rooms --seed 4");
  }

  @Tag("nightly")
  @TestFactory
  Stream<DynamicTest> eachSeedThatWasEverWrongComesOutRight() throws IOException {
    return each(seeds("nightly"));
  }

  @Tag("nightly")
  @TestFactory
  Stream<DynamicTest> theSeedOfTheCommitComesOutRight() {
    return each(
        seedOfTheCommit().stream()
            .flatMap(seed -> SCENARIOS.stream().map(scenario -> scenario + " --seed " + seed)));
  }

  private static Stream<DynamicTest> each(Stream<String> lines) {
    return lines.map(line -> dynamicTest(line, () -> comesOutRight(line)));
  }

  @Test
  void aNameThatDoesNotExistIsWrongUsage() {
    StringWriter text = new StringWriter();
    assertThat(run(text, "nonsense")).isEqualTo(2);
    assertThat(text.toString()).contains("--list shows the scenarios");
  }

  /**
   * The exit code says whether the history was right; the printed text shows that there was a
   * history and that the programs of the plan were really killed.
   */
  private static void comesOutRight(String line) {
    String[] arguments = line.split(" ", -1);
    StringWriter text = new StringWriter();
    int code = run(text, arguments);
    String output = text.toString();
    if (output.contains("NOTHING RAN")) {
      System.err.println("*** CHAOS " + line + " WAS NOT RUN: " + output);
      Assumptions.abort(output);
    }
    assertThat(code).as(output).isZero();
    Matcher verdict = VERDICT.matcher(output);
    assertThat(verdict.find()).as(output).isTrue();
    assertThat(verdict.group(1)).isEqualTo(arguments[0]);
    assertThat(Integer.parseInt(verdict.group(2))).as(output).isGreaterThan(OPERATIONS_MIN);
    Matcher killed = KILLED.matcher(output);
    assertThat(killed.find()).as(output).isTrue();
    boolean planned = output.contains("kill -9 of ");
    assertThat(Integer.parseInt(killed.group(1)) > 0).as(output).isEqualTo(planned);
  }

  private static int run(StringWriter text, String... arguments) {
    PrintWriter out = new PrintWriter(text, true);
    return new CommandLine(new ChaosCommand()).setOut(out).setErr(out).execute(arguments);
  }

  /** The scenarios and options of the lines with this first word. */
  private static Stream<String> seeds(String when) throws IOException {
    try (InputStream in = ChaosSliceTest.class.getResourceAsStream("/chaos-seeds.txt")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.startsWith(when + ' '))
          .map(line -> line.substring(when.length(), (line + '#').indexOf('#')).strip())
          .map(line -> line.replaceAll(" +", " "));
    }
  }

  /** The first digits of the commit as a number; none outside of a Git working copy. */
  private static Optional<String> seedOfTheCommit() {
    return Optional.ofNullable(System.getProperty("convoke.commit"))
        .filter(commit -> commit.length() >= 7)
        .map(commit -> Long.toString(Long.parseLong(commit.substring(0, 7), 16)));
  }
}
