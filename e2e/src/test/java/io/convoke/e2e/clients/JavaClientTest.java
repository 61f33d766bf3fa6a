package io.convoke.e2e.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.client.ConvokeClient;
import io.convoke.e2e.build.ExampleBuild;
import io.convoke.e2e.journey.JourneyTestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program of {@code examples/java-client}, built by Maven with the client as a library. */
@Tag("nightly")
@Timeout(600)
final class JavaClientTest {
  @TempDir private static Path folder;

  @Test
  void aBotIsSentAndSeenInTheMeeting() throws Exception {
    Path project = folder.resolve("java-client");
    ExampleBuild.packaged("java-client", project, Map.of("client", ConvokeClient.class));
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String path = project.resolve("target") + "/java-client-1.0.jar:" + project + "/target/lib/*";
    try (JourneyTestServer journey =
        JourneyTestServer.open(Files.createDirectory(folder.resolve("server")), Map.of())) {
      journey.meet("stand-up", "Ada");
      String key = journey.key("sender@example.org");
      String url = journey.simulator().roomUrl("stand-up").toString();
      List<String> send = List.of(java, "-cp", path, "org.example.sendbot.SendBot", url);
      Map<String, String> environment =
          Map.of("CONVOKE_URL", journey.server().url(), "CONVOKE_API_KEY", key);
      try (ClientProgram program = ClientProgram.start(project, send, environment)) {
        assertThat(program.output())
            .contains("status starting", "status active")
            .last()
            .asString()
            .startsWith("meeting ");
      }
      Map<String, String> wrong =
          Map.of("CONVOKE_URL", journey.server().url(), "CONVOKE_API_KEY", "no");
      try (ClientProgram program = ClientProgram.start(project, send, wrong)) {
        assertThat(program.await(line -> line.contains("401")))
            .matches(".*\\(trace [0-9a-f]{32}\\)");
      }
    }
  }
}
