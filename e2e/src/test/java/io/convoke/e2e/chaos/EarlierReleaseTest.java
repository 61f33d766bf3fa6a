package io.convoke.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.convoke.chaos.ChaosCommand;
import io.convoke.simulator.process.ReleaseRotation;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * The last release that the changelog names beside this one, on the same stores, under the load and
 * the faults of each chaos scenario: servers, workflow nodes and pods take turns between the two,
 * so the upgrade is begun, rolled back and begun again. The checkers know nothing of it.
 */
@Tag("nightly")
@Tag("alone")
@Timeout(1200)
final class EarlierReleaseTest {
  private static final Path HOME =
      Path.of(System.getProperty("convoke.home", "..")).toAbsolutePath().normalize();
  private static final Pattern COMMIT = Pattern.compile("^Commit `([0-9a-f]+)`", Pattern.MULTILINE);
  private static final Pattern STARTS =
      Pattern.compile("(\\d+) programs began in the earlier release, (\\d+) in this one");

  @TempDir private static Path folder;

  @AfterEach
  void end() {
    ReleaseRotation.end();
  }

  @TestFactory
  Stream<DynamicTest> nothingIsLostWhileTwoReleasesTakeTurns() throws Exception {
    Path previous = previous();
    return Stream.of("durable", "sync", "dispatch", "presence", "bots", "recordings")
        .map(scenario -> dynamicTest(scenario, () -> isOk(scenario, previous)));
  }

  private static void isOk(String scenario, Path previous) {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text, true);
    int code =
        new CommandLine(new ChaosCommand())
            .setOut(out)
            .setErr(out)
            .execute(scenario, "--seed", "1", "--previous", previous.toString());
    assertThat(code).as(text.toString()).isZero();
    Matcher starts = STARTS.matcher(text.toString());
    assertThat(starts.find()).as(text.toString()).isTrue();
    assertThat(List.of(starts.group(1), starts.group(2))).doesNotContain("0");
  }

  /** The release of the newest commit in the changelog, built in a folder of its own. */
  private static Path previous() throws Exception {
    Matcher commit = COMMIT.matcher(Files.readString(HOME.resolve("CHANGELOG.md")));
    assertThat(commit.find()).isTrue();
    Path archive = folder.resolve("previous.tar");
    int archived =
        run(HOME, "git", "archive", "--format=tar", "-o", archive.toString(), commit.group(1));
    assumeThat(archived)
        .as("the history with the last release, commit " + commit.group(1))
        .isZero();
    Path previous = Files.createDirectory(folder.resolve("previous"));
    assertThat(run(previous, "tar", "-xf", archive.toString())).isZero();
    assertThat(run(previous, "./convoke", "migrate", "--help")).isZero();
    return previous;
  }

  private static int run(Path where, String... command) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(where.toFile()).redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()));
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Process process = builder.start();
    assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
    return process.exitValue();
  }
}
