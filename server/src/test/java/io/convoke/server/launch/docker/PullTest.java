package io.convoke.server.launch.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.convoke.server.launch.Await;
import io.convoke.server.launch.BotImage;
import io.convoke.server.launch.BotImage.ImagePullPolicy;
import io.convoke.server.launch.LaunchException;
import io.convoke.server.launch.Launcher.Probe;
import io.convoke.server.launch.ScriptedBot;
import io.convoke.simulator.process.DebianPackages;
import io.convoke.simulator.process.GuardedProcess;
import io.convoke.simulator.process.InstalledPrograms;
import io.convoke.simulator.process.OrphanReaper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pull policies, with a real engine and a real registry on this machine. */
@NeedsDocker
@Tag("nightly")
final class PullTest {
  private static final String PROGRAM = "docker-registry";
  private static final int OTHER_CODE = 9;

  @TempDir private static Path folder;
  private static final OrphanReaper GUARDIAN = new OrphanReaper();
  private static TestDockerEngine engine;
  private static GuardedProcess registry;
  private static String image;

  @BeforeAll
  static void start() throws IOException {
    boolean there = DebianPackages.ensure(PullTest::onPath, PROGRAM);
    if (!there) {
      System.err.println("*** SKIPPED: " + PROGRAM + " cannot be had here ***");
    }
    assumeTrue(there, PROGRAM + " cannot be had here");
    int port = InstalledPrograms.freePort();
    image = "127.0.0.1:" + port + "/bot:1";
    registry = startRegistry(port);
    engine = TestDockerEngine.start();
    engine.importShell(image, List.of("sh", "-c", "exit " + OTHER_CODE));
    engine.docker("push", image);
    engine.docker("rmi", image);
  }

  @AfterAll
  static void stop() throws IOException {
    if (onPath()) {
      engine.close();
      registry.stop();
    }
    GUARDIAN.close();
  }

  @Test
  void missingFetchesWhatIsNotThereAndKeepsWhatIs() throws Exception {
    try (DockerLauncher missing = launcher(ImagePullPolicy.MISSING)) {
      assertThat(codeOf(missing, 1)).as("fetched").contains(OTHER_CODE);
      keepAnotherHere();
      String handle = missing.launch(ScriptedBot.POLITE.spec(2));
      assertThat(missing.probe(handle)).as("ours of that name").isInstanceOf(Probe.Alive.class);
    }
    try (DockerLauncher always = launcher(ImagePullPolicy.ALWAYS)) {
      assertThat(codeOf(always, 3)).as("the registry's again").contains(OTHER_CODE);
    }
    engine.docker("rmi", "-f", image);
    try (DockerLauncher never = launcher(ImagePullPolicy.NEVER)) {
      assertThatThrownBy(() -> never.launch(ScriptedBot.POLITE.spec(4)))
          .isInstanceOf(LaunchException.class);
    }
  }

  /** A local image of the same name: its bot keeps running. */
  private static void keepAnotherHere() throws IOException {
    engine.importShell(image, List.of("/bot"));
  }

  private static Optional<Integer> codeOf(DockerLauncher launcher, long meeting) throws Exception {
    String handle = launcher.launch(ScriptedBot.POLITE.spec(meeting));
    Await.until("the bot to end", () -> launcher.probe(handle) instanceof Probe.Gone);
    return ((Probe.Gone) launcher.probe(handle)).exitCode();
  }

  private static DockerLauncher launcher(ImagePullPolicy imagePullPolicy) {
    return new DockerLauncher(
        new DockerConfig(
            engine.host(),
            "test",
            new BotImage(image, imagePullPolicy, Optional.empty(), Optional.empty()),
            Optional.of("none")),
        InstantSource.system());
  }

  private static GuardedProcess startRegistry(int port) throws IOException {
    Path config =
        Files.writeString(
            folder.resolve("registry.yml"),
            """
            version: 0.1
            storage:
              filesystem:
                rootdirectory: %s
            http:
              addr: 127.0.0.1:%d
            """
                .formatted(folder.resolve("images"), port));
    return GuardedProcess.start(
        PROGRAM,
        new ProcessBuilder(PROGRAM, "serve", config.toString()),
        new byte[0],
        folder.resolve("registry.log"),
        GUARDIAN,
        "TERM",
        () -> answers(port));
  }

  private static boolean answers(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean onPath() {
    return DebianPackages.onPath(PROGRAM).findAny().isPresent();
  }
}
