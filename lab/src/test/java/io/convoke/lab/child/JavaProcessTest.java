package io.convoke.lab.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program of ours is known by what it prints, and ends with us. */
final class JavaProcessTest {
  @TempDir private Path folder = Path.of("");

  @Test
  void theReadyLineIsReadWhateverIsLoggedAroundIt() throws Exception {
    try (Guardian guardian = new Guardian();
        JavaProcess process = JavaProcess.start(program(NoisyProgram.class.getName()), guardian)) {
      assertThat(process.url()).isEqualTo(URI.create("http://127.0.0.1:4711"));
      assertThat(process.url().getHost()).isEqualTo("127.0.0.1");
      process.kill();
      assertThat(process.alive()).isFalse();
      assertThat(Files.readString(folder.resolve("log"))).contains("half a line of a log");
    }
  }

  @Test
  void aProgramThatEndsBeforeItIsReadyFailsWithItsLog() {
    try (Guardian guardian = new Guardian()) {
      assertThatThrownBy(() -> JavaProcess.start(program("no.such.Program"), guardian))
          .isInstanceOf(ChildFailure.class)
          .hasMessageContaining("ended before it was ready")
          .hasMessageContaining("no.such.Program");
    }
  }

  private JavaProgram program(String main) {
    return new JavaProgram("noisy", main, List.of(), Map.of(), List.of(), folder.resolve("log"));
  }
}
