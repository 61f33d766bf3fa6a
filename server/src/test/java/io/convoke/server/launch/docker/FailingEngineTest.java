package io.convoke.server.launch.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.net.httpserver.HttpServer;
import io.convoke.server.launch.BotImage;
import io.convoke.server.launch.BotImage.ImagePullPolicy;
import io.convoke.server.launch.Launcher.Probe;
import io.convoke.server.launch.LauncherUnavailable;
import io.convoke.server.launch.ScriptedBot;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An engine that answers with failures, or is busy: no evidence about any bot. */
final class FailingEngineTest {
  private static final byte[] SORRY =
      "{\"message\":\"the engine is not well\"}".getBytes(StandardCharsets.UTF_8);

  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private HttpServer engine;
  private DockerLauncher launcher;

  @BeforeEach
  void start() throws IOException {
    engine = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    answers("/", 500);
    engine.start();
    launcher =
        new DockerLauncher(
            new DockerConfig(
                "tcp://127.0.0.1:" + engine.getAddress().getPort(),
                "test",
                new BotImage("bot:1", ImagePullPolicy.NEVER, Optional.empty(), Optional.empty()),
                Optional.empty()),
            () -> now);
  }

  @AfterEach
  void stop() {
    launcher.close();
    engine.stop(0);
  }

  @Test
  void itsListIsUnavailableSoASweepGoesOnWithoutIt() {
    assertThatExceptionOfType(LauncherUnavailable.class)
        .isThrownBy(launcher::list)
        .withMessageContaining("the engine is not well");
  }

  @Test
  void aLaunchIsTriedAgainLater() {
    assertThatExceptionOfType(LauncherUnavailable.class)
        .isThrownBy(() -> launcher.launch(ScriptedBot.POLITE.spec(1)));
  }

  @Test
  void aNameThatIsTakenByNoContainerYetIsALaunchUnderWay() {
    answers("/containers/create", 409);
    answers("/containers/convoke-bot-", 404);
    assertThatExceptionOfType(LauncherUnavailable.class)
        .isThrownBy(() -> launcher.launch(ScriptedBot.POLITE.spec(1)))
        .withMessageContaining("being created");
  }

  @Test
  void aBotIsOutOfReach() {
    assertThat(launcher.probe("docker:here:0123456789abcdef"))
        .isInstanceOf(Probe.Unreachable.class);
  }

  @Test
  void aContainerThatItDoesNotRemoveHoldsUpNoListing() {
    answers("/info", 200, "{\"Name\":\"here\"}".getBytes(StandardCharsets.UTF_8));
    answers(
        "/containers/json",
        200,
        "[{\"Id\":\"0123456789abcdef\",\"Names\":[\"/bot\"],\"State\":\"exited\"}]"
            .getBytes(StandardCharsets.UTF_8));
    AtomicInteger removals = hangsUp("/containers/0123456789abcdef");
    assertThat(launcher.list()).isEmpty();
    assertThat(removals).as("it is kept for a while").hasValue(0);

    now = now.plus(Duration.ofMinutes(16));
    assertThat(launcher.list()).as("the removal has no answer").isEmpty();
    int tried = removals.get();
    assertThat(tried).isPositive();
    now = now.plus(Duration.ofMinutes(1));
    assertThat(launcher.list()).isEmpty();
    assertThat(removals).as("the next listing does not wait for it too").hasValue(tried);
    now = now.plus(Duration.ofMinutes(15));
    assertThat(launcher.list()).isEmpty();
    assertThat(removals).as("it is tried again").hasValueGreaterThan(tried);
  }

  private void answers(String path, int status) {
    answers(path, status, SORRY);
  }

  private void answers(String path, int status, byte[] body) {
    var _ =
        engine.createContext(
            path,
            exchange -> {
              try (exchange) {
                byte[] _ = exchange.getRequestBody().readAllBytes();
                exchange.getResponseHeaders().set("Content-Type", "application/json");
                exchange.sendResponseHeaders(status, body.length);
                exchange.getResponseBody().write(body);
              }
            });
  }

  /** Ends the connection instead of an answer; counts the requests. */
  private AtomicInteger hangsUp(String path) {
    AtomicInteger requests = new AtomicInteger();
    var _ =
        engine.createContext(
            path,
            exchange -> {
              int _ = requests.incrementAndGet();
              exchange.close();
            });
    return requests;
  }
}
