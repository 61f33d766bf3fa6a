package io.convoke.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.lab.chaos.ChaosCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The slice of chaos that every build runs: one seed of each scenario against real servers. */
final class ChaosSliceTest {
  private final StringWriter text = new StringWriter();

  @Test
  void aSeedOfPresenceChaosComesOutRight() {
    int code = run("presence", "--seed", "5", "--quick");

    assertThat(text.toString()).contains("presence seed 5:", "kill -9 of server 0", "0 lost");
    assertThat(code).as(text.toString()).isZero();
  }

  @Test
  void aSeedOfBotChaosComesOutRight() {
    int code = run("bots", "--seed", "3", "--seconds", "8");

    assertThat(text.toString()).contains("bots seed 3:", "kill -9 of servers", "0 lost");
    assertThat(code).as(text.toString()).isZero();
  }

  @Test
  void aSeedOfDurableChaosComesOutRight() {
    int code = run("durable", "--seed", "25", "--quick");

    assertThat(text.toString()).contains("durable seed 25:", "kill -9 of node", "0 lost");
    assertThat(code).as(text.toString()).isZero();
  }

  @Test
  void aSeedOfSyncChaosComesOutRight() {
    int code = run("sync", "--seed", "4", "--seconds", "12");

    assertThat(text.toString()).contains("sync seed 4:", "0 regressions, 0 wrong reads", "0 lost");
    assertThat(code).as(text.toString()).isZero();
  }

  @Test
  void aSeedOfRecordingChaosComesOutRight() {
    int code = run("recordings", "--seed", "3", "--quick");

    assertThat(text.toString()).contains("recordings seed 3:", "kill -9 of servers", "0 lost");
    assertThat(code).as(text.toString()).isZero();
  }

  @Test
  void aSeedOfDispatchChaosComesOutRight() {
    int code = run("dispatch", "--seed", "24", "--quick");

    assertThat(text.toString())
        .contains("dispatch seed 24:", "kill -9 of pod", "kill -9 of server", "0 lost");
    assertThat(code).as(text.toString()).isZero();
  }

  @Test
  void aNameThatDoesNotExistIsWrongUsage() {
    assertThat(run("nonsense")).isEqualTo(2);
    assertThat(text.toString()).contains("--list shows what there is");
  }

  private int run(String... arguments) {
    PrintWriter out = new PrintWriter(text, true);
    return new CommandLine(new ChaosCommand()).setOut(out).setErr(out).execute(arguments);
  }
}
