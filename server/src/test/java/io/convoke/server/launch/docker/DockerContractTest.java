package io.convoke.server.launch.docker;

import io.convoke.server.launch.BotImage;
import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.LauncherContract;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Containers of a real engine; with live restore they outlive its restart. */
@NeedsDocker
@Tag("nightly")
final class DockerContractTest extends LauncherContract {
  private static TestDockerEngine engine;

  @BeforeAll
  static void startEngine() throws IOException {
    engine = TestDockerEngine.start("--live-restore");
  }

  @AfterAll
  static void stopEngine() throws IOException {
    engine.close();
  }

  @Override
  protected Launcher open() {
    return new DockerLauncher(terms(engine), InstantSource.system());
  }

  @Override
  protected void takeAway() {
    engine.kill();
  }

  @Override
  protected void bringBack() throws IOException {
    engine.restart();
  }

  @Override
  protected String strangeHandle(String ofAnother) {
    return ContainerRef.parse(ofAnother)
        .map(bot -> new ContainerRef(bot.machine(), "0123456789abcdef"))
        .orElseThrow()
        .toString();
  }

  static DockerConfig terms(TestDockerEngine engine) {
    return new DockerConfig(
        engine.host(),
        "test",
        new BotImage(
            TestDockerEngine.IMAGE,
            BotImage.ImagePullPolicy.MISSING,
            Optional.of(32L << 20),
            Optional.of(0.5)),
        Optional.of("none"));
  }
}
