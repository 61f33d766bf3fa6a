package io.convoke.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** The command line, as far as it refuses to start. */
final class SimCommandTest {

  @Test
  void invalidArgumentsAreExitCode2AndOneClearLine() {
    assertThat(refusal("--speed", "0")).startsWith("--speed must be positive");
    assertThat(refusal("--presence-lag", "16")).startsWith("--presence-lag is from 0 to 15");
    assertThat(refusal("--webhook-url", "http://localhost/hook"))
        .startsWith("--webhook-url and --webhook-secret go together");
    assertThat(refusal("--webhook-url", "http://localhost/", "--webhook-secret", "no base64!"))
        .startsWith("--webhook-secret must be base64");
    assertThat(refusal("--scenario", "nowhere.yaml"))
        .startsWith("--scenario nowhere.yaml: there is no");
  }

  @Test
  @Timeout(30)
  void aPortThatIsTakenEndsItAtOnce() {
    try (Simulator other = Simulator.start(SimulatorConfig.defaults())) {
      String port = Integer.toString(other.url().getPort());
      assertThat(ended(1, "--port", port)).contains("cannot listen on 127.0.0.1 port " + port);
    }
  }

  private static String refusal(String... args) {
    return ended(2, args);
  }

  private static String ended(int exit, String... args) {
    StringWriter err = new StringWriter();
    CommandLine command = new CommandLine(new SimCommand()).setErr(new PrintWriter(err, true));
    assertThat(command.execute(args)).isEqualTo(exit);
    return err.toString();
  }
}
