package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The diagram of the guide is generated from the lifecycle. */
class RecordingsGuideTest {
  @Test
  void theDiagramMatchesTheLifecycle() throws IOException {
    String diagram =
        RecordingLifecycle.TABLE
            .mermaid("in_progress", List.of("done", "failed", "cancelled", "empty", "given_up"))
            .strip();
    assertThat(Files.readString(Path.of("../docs/reference/recordings.md")))
        .contains("```mermaid\n" + diagram + "\n```");
  }
}
