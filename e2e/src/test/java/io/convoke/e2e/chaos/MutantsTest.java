package io.convoke.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.ChaosCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** Chaos against broken copies of the product: two cheap ones, so that the way stays passable. */
@Tag("nightly")
@Tag("alone")
@Timeout(240)
final class MutantsTest {
  @Test
  void twoBrokenServersAreFound() {
    StringWriter text = new StringWriter();
    assertThat(
            run(
                text,
                "--mutants",
                "sync/02-updates-are-answered-503",
                "sync/06-users-see-all-meetings"))
        .as(text.toString())
        .isZero();
    assertThat(text.toString())
        .contains("sync/02-updates-are-answered-503: found by AvailabilityRule")
        .contains("sync/06-users-see-all-meetings: found by SyncPermissionRule")
        .contains("2 of 2 mutants found");
  }

  @Test
  void aMutantThatDoesNotExistIsWrongUsage() {
    StringWriter text = new StringWriter();
    assertThat(run(text, "--mutants", "sync/99-nothing")).isEqualTo(2);
    assertThat(text.toString()).contains("no mutant 'sync/99-nothing'");
  }

  private static int run(StringWriter text, String... arguments) {
    PrintWriter out = new PrintWriter(text, true);
    return new CommandLine(new ChaosCommand()).setOut(out).setErr(out).execute(arguments);
  }
}
