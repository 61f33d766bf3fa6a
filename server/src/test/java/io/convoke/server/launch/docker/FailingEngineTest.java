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
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An engine that answers with failures, or is busy: no evidence about any bot. */
final class FailingEngineTest {
  private static final byte[] SORRY =
      "{\"message\":\"the engine is not well\"}".getBytes(StandardCharsets.UTF_8);

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
            InstantSource.system());
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

  private void answers(String path, int status) {
    var _ =
        engine.createContext(
            path,
            exchange -> {
              try (exchange) {
                byte[] _ = exchange.getRequestBody().readAllBytes();
                exchange.getResponseHeaders().set("Content-Type", "application/json");
                exchange.sendResponseHeaders(status, SORRY.length);
                exchange.getResponseBody().write(SORRY);
              }
            });
  }
}
