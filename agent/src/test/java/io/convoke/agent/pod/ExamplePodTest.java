package io.convoke.agent.pod;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.dispatch.TaskState;
import io.convoke.engine.dispatch.TaskTransition;
import io.convoke.simulator.process.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The example of the guide: run, compared with what the guide shows, and short. */
@Timeout(120)
class ExamplePodTest {
  private static final Path FILE =
      Path.of("src/test/java/io/convoke/agent/pod/example/Greeter.java");

  @Tag("nightly")
  @Test
  void itGreetsUntilItIsStopped(@TempDir Path folder) throws IOException {
    try (PodTestKit kit = new PodTestKit(folder, "io.convoke.agent.pod.example.Greeter")) {
      JavaProcess pod = kit.pod("--slots", "1");
      kit.submit("nameless", "greet", "room", "{}");
      assertThat(kit.await("nameless", TaskState.FAILED).error()).isEqualTo("name is missing");
      kit.submit("a", "greet", "room", "{\"name\": \"Ada\"}");
      TaskTransition _ = kit.await("a", TaskState.PROCESSING);
      kit.stop("a");
      TaskTransition _ = kit.await("a", TaskState.SUCCESS);
      assertThat(pod.stop()).isZero();
      assertThat(kit.logs()).contains("Hello Ada in room, attempt 1");
    }
  }

  @Test
  void theGuideShowsItAsItIs() throws IOException {
    String source = Files.readString(FILE);
    assertThat(source.lines()).hasSizeLessThan(40);
    assertThat(Files.readString(Path.of("../docs/guides/run-pods.md")))
        .contains(source.substring(source.indexOf("import ")));
  }
}
