package io.convoke.e2e.media;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.e2e.journey.JourneyTestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./convoke demo --real} prints links of a room that is recorded, and leaves nothing. */
@Tag("nightly")
@Timeout(240)
class RealDemoTest {
  private static final Duration SOON = Duration.ofSeconds(90);
  private static final Pattern GUEST = Pattern.compile("guest +(http\\S+)");

  @TempDir private Path folder;

  @BeforeAll
  static void require() {
    JanusMachine.require();
  }

  private Optional<String> link() {
    Matcher guest = GUEST.matcher(output());
    return guest.find() ? Optional.of(guest.group(1)) : Optional.empty();
  }

  private String output() {
    try {
      return Files.readString(folder.resolve("demo.out"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<ProcessHandle> ours() {
    return ProcessHandle.allProcesses()
        .filter(
            process ->
                process.info().arguments().stream()
                    .flatMap(Stream::of)
                    .anyMatch(argument -> argument.contains(folder.resolve("data").toString())))
        .toList();
  }

  @Test
  void itsLinksOpenARoomThatIsRecorded() throws Exception {
    Path home = Path.of("..").toAbsolutePath().normalize();
    Process demo =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dconvoke.home=" + home,
                "-cp",
                home.resolve("demo/target/lib") + "/*",
                "io.convoke.demo.DemoCommand",
                "--real",
                "--port",
                "0",
                "--data",
                folder.resolve("data").toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("demo.out").toFile())
            .start();
    try (HttpClient client = HttpClient.newHttpClient()) {
      JourneyTestServer.await("the links", SOON, () -> !demo.isAlive() || link().isPresent());
      URI link = URI.create(link().orElseThrow(() -> new AssertionError(output())));
      HttpResponse<String> answer =
          client.send(
              HttpRequest.newBuilder(link.resolve("/join/room"))
                  .header("X-Join-Token", link.getFragment())
                  .build(),
              BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).contains("\"recorded\":true");
      demo.destroy();
      assertThat(demo.waitFor(60, TimeUnit.SECONDS)).isTrue();
      JourneyTestServer.await("the end of its programs", SOON, () -> ours().isEmpty());
    } finally {
      var _ = demo.destroyForcibly();
    }
  }
}
