package io.convoke.simulator.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A child program is known by its output, and ends with this process. */
final class JavaProcessTest {
  @TempDir private Path folder = Path.of("");

  @Test
  void theReadyLineIsReadWhateverIsLoggedAroundIt() throws Exception {
    try (OrphanReaper orphanReaper = new OrphanReaper();
        JavaProcess process =
            JavaProcess.start(program(ChattyProgram.class.getName()), orphanReaper)) {
      assertThat(process.url()).isEqualTo(URI.create("http://127.0.0.1:4711"));
      assertThat(process.url().getHost()).isEqualTo("127.0.0.1");
      process.kill();
      assertThat(process.alive()).isFalse();
      assertThat(Files.readString(folder.resolve("log"))).contains("half a line of a log");
    }
  }

  @Test
  void aProgramThatEndsBeforeItIsReadyFailsWithItsLog() {
    try (OrphanReaper orphanReaper = new OrphanReaper()) {
      assertThatThrownBy(() -> JavaProcess.start(program("no.such.Program"), orphanReaper))
          .isInstanceOf(ChildProcessException.class)
          .hasMessageContaining("ended before it was ready")
          .hasMessageContaining("no.such.Program");
    }
  }

  private JavaProgramSpec program(String main) {
    return new JavaProgramSpec(
        "noisy", main, List.of(), Map.of(), List.of(), folder.resolve("log"));
  }
}
