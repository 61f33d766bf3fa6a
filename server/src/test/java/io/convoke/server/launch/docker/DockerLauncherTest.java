package io.convoke.server.launch.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.server.launch.BotImage;
import io.convoke.server.launch.BotImage.ImagePullPolicy;
import io.convoke.server.launch.LaunchException;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.Launcher.BotExit;
import io.convoke.server.launch.Launcher.Probe;
import io.convoke.server.launch.Launcher.RunningBot;
import io.convoke.server.launch.LauncherUnavailable;
import io.convoke.server.launch.ScriptedBot;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Docker only: images, memory, names, crashes between two calls, the engine's restart. */
@NeedsDocker
@Tag("nightly")
final class DockerLauncherTest {
  private static TestDockerEngine engine;
  private final List<Launcher> launchers = new ArrayList<>();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");

  @BeforeAll
  static void startEngine() throws IOException {
    engine = TestDockerEngine.start();
  }

  @AfterAll
  static void stopEngine() throws IOException {
    engine.close();
  }

  @AfterEach
  void removeAll() {
    launchers.forEach(Launcher::close);
    try (DockerEngine hand = engine.byHand()) {
      hand.labelled(ContainerLabels.FLEET, "test")
          .forEach(container -> hand.remove(container.getId()));
    }
  }

  @Test
  void anImageThatIsNotThereFailsTheLaunchAndLeavesNothing() {
    LaunchSpec spec = ScriptedBot.POLITE.spec(1);
    DockerLauncher never = launcher(image("convoke-no-such-image:1", ImagePullPolicy.NEVER));
    assertThatThrownBy(() -> never.launch(spec))
        .isInstanceOf(LaunchException.class)
        .hasMessageContaining("convoke-no-such-image:1 is not on this machine")
        .hasMessageNotContaining(ScriptedBot.SECRET);
    // Port 1 of this machine stands for an unreachable registry.
    DockerLauncher missing =
        launcher(image("localhost:1/no-such-image:1", ImagePullPolicy.MISSING));
    assertThatThrownBy(() -> missing.launch(spec))
        .isInstanceOf(LaunchException.class)
        .hasMessageContaining("localhost:1/no-such-image:1 cannot be pulled");
    DockerLauncher always = launcher(image("localhost:1/no-such-image:1", ImagePullPolicy.ALWAYS));
    assertThatThrownBy(() -> always.launch(spec)).isInstanceOf(LaunchException.class);
    assertThat(never.list()).isEmpty();
  }

  @Test
  void aBotWithoutEnoughMemoryReportsOutOfMemory() throws Exception {
    DockerLauncher launcher = launcher(terms());
    BlockingQueue<BotExit> exits = exits(launcher);
    String handle = launcher.launch(ScriptedBot.GREEDY.spec(2));
    assertThat(exits.poll(30, TimeUnit.SECONDS))
        .isEqualTo(new BotExit(handle, "convoke-bot-2-1-c0ffee00", Optional.of(137)));
    assertThat(launcher.remains(handle).reason()).contains(Launcher.BotExitDetails.OUT_OF_MEMORY);
  }

  @Test
  void aCrashBetweenCreateAndStartIsMadeGood() throws Exception {
    LaunchSpec spec = ScriptedBot.POLITE.spec(3);
    Process server =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                CreateAndWait.class.getName(),
                engine.host())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String id;
    try (var output = server.inputReader()) {
      id = java.util.Objects.requireNonNull(output.readLine(), "the server created a container");
      int _ = server.destroyForcibly().waitFor();
    }
    DockerLauncher next = launcher(terms());
    assertThat(next.list()).as("nothing runs").isEmpty();
    String handle = next.launch(spec);
    assertThat(handle).endsWith(id);
    assertThat(next.probe(handle)).isEqualTo(new Probe.Alive());
    assertThat(next.list()).containsExactly(new RunningBot(handle, spec.containerName()));
  }

  /** The main class of a server that is killed between the two calls. */
  static final class CreateAndWait {
    private CreateAndWait() {}

    public static void main(String[] args) throws IOException {
      try (DockerEngine engine = new DockerEngine(args[0])) {
        DockerConfig terms =
            new DockerConfig(
                args[0],
                "test",
                image(TestDockerEngine.IMAGE, ImagePullPolicy.NEVER).image(),
                Optional.of("none"));
        System.out.println(engine.create(ScriptedBot.POLITE.spec(3), terms));
        System.out.flush();
        int _ = System.in.read();
      }
    }
  }

  @Test
  void aNameThatAStrangerHasIsNotOurs() throws Exception {
    LaunchSpec spec = ScriptedBot.POLITE.spec(4);
    LaunchSpec another =
        new LaunchSpec(4, 1, "another-connection", spec.containerName(), spec.botConfig());
    DockerLauncher launcher = launcher(terms());
    String handle = launcher.launch(another);
    assertThatThrownBy(() -> launcher.launch(spec))
        .isInstanceOf(LaunchException.class)
        .hasMessageContaining("is taken by a container that is not this bot");
    assertThat(launcher.probe(handle)).as("it is left alone").isEqualTo(new Probe.Alive());
  }

  @Test
  void anotherInstallationsBotsAreNotListed() throws Exception {
    DockerLauncher ours = launcher(terms());
    DockerLauncher theirs =
        launcher(new DockerConfig(engine.host(), "theirs", terms().image(), Optional.of("none")));
    String handle = theirs.launch(ScriptedBot.POLITE.spec(5));
    assertThat(ours.list()).isEmpty();
    assertThat(theirs.list()).hasSize(1);
    assertThat(theirs.kill(handle)).isInstanceOf(Probe.Gone.class);
    try (DockerEngine hand = engine.byHand()) {
      hand.labelled(ContainerLabels.FLEET, "theirs")
          .forEach(container -> hand.remove(container.getId()));
    }
  }

  @Test
  void aBotThatExitedBeforeItsHandleWasStoredIsReportedAndNotLaunchedAgain() throws Exception {
    LaunchSpec spec = ScriptedBot.BROKEN.spec(6);
    DockerLauncher before = launcher(terms());
    BlockingQueue<BotExit> seen = exits(before);
    String handle = before.launch(spec);
    assertThat(seen.poll(30, TimeUnit.SECONDS)).isNotNull();

    DockerLauncher next = launcher(terms());
    BlockingQueue<BotExit> exits = exits(next);
    assertThat(next.launch(spec)).isEqualTo(handle);
    assertThat(exits.poll(30, TimeUnit.SECONDS))
        .isEqualTo(new BotExit(handle, spec.containerName(), Optional.of(7)));
  }

  @Test
  void containersEndedByARestartOfTheEngineAreReported() throws Exception {
    DockerLauncher launcher = launcher(terms());
    BlockingQueue<BotExit> exits = exits(launcher);
    String handle = launcher.launch(ScriptedBot.POLITE.spec(7));
    assertThat(launcher.probe(handle)).isEqualTo(new Probe.Alive());
    engine.kill();
    assertThat(launcher.probe(handle)).isInstanceOf(Probe.Unreachable.class);
    assertThat(exits).isEmpty();
    engine.restart();
    BotExit botExit = exits.poll(30, TimeUnit.SECONDS);
    assertThat(botExit).as("without live restore the engine ends what ran").isNotNull();
    assertThat(botExit.handle()).isEqualTo(handle);
    assertThat(launcher.probe(handle)).isEqualTo(new Probe.Gone(botExit.exitCode()));
  }

  @Test
  void aContainerRemovedFromOutsideIsReported() throws Exception {
    DockerLauncher launcher = launcher(terms());
    BlockingQueue<BotExit> exits = exits(launcher);
    String handle = launcher.launch(ScriptedBot.DEAF.spec(8));
    try (DockerEngine hand = engine.byHand()) {
      hand.remove(ContainerRef.parse(handle).orElseThrow().containerId());
    }
    assertThat(exits.poll(30, TimeUnit.SECONDS)).isNotNull();
    assertThat(launcher.probe(handle)).isInstanceOf(Probe.Gone.class);
    assertThat(launcher(terms()).probe(handle)).isEqualTo(new Probe.Unknown());
  }

  @Test
  void anotherEngineIsNoEvidenceAboutABot() {
    DockerLauncher launcher = launcher(terms());
    assertThat(launcher.probe("docker:elsewhere:0123456789abcdef"))
        .isEqualTo(new Probe.Unreachable("it runs on elsewhere"));
  }

  @Test
  void whatEndedIsKeptForAWhileAndThenRemoved() throws Exception {
    DockerLauncher launcher = launcher(terms());
    BlockingQueue<BotExit> exits = exits(launcher);
    String handle = launcher.launch(ScriptedBot.BROKEN.spec(9));
    assertThat(exits.poll(30, TimeUnit.SECONDS)).isNotNull();
    assertThat(launcher.list()).isEmpty();
    now = now.plus(Duration.ofMinutes(14));
    assertThat(launcher.list()).isEmpty();
    assertThat(launcher.remains(handle).lastLines()).isNotEmpty();
    now = now.plus(Duration.ofMinutes(2));
    assertThat(launcher.list()).isEmpty();
    try (DockerEngine hand = engine.byHand()) {
      assertThat(hand.labelled(ContainerLabels.FLEET, "test")).isEmpty();
    }
  }

  @Test
  void theLimitsAreTheContainers() throws Exception {
    DockerLauncher launcher = launcher(terms());
    String handle = launcher.launch(ScriptedBot.POLITE.spec(10));
    assertThat(
            engine.inspect(
                ContainerRef.parse(handle).orElseThrow().containerId(),
                "{{.HostConfig.Memory}} {{.HostConfig.MemorySwap}} {{.HostConfig.NanoCpus}}"
                    + " {{.HostConfig.NetworkMode}} {{.HostConfig.LogConfig.Config}}"))
        .isEqualTo("33554432 33554432 500000000 none map[max-file:1 max-size:8m]");
  }

  @Test
  void noEngineAtAllIsNoFailureOfTheBot() {
    DockerConfig nowhere =
        new DockerConfig(engine.host() + ".not", "test", terms().image(), Optional.empty());
    DockerLauncher launcher = launcher(nowhere);
    assertThatThrownBy(() -> launcher.launch(ScriptedBot.POLITE.spec(11)))
        .isInstanceOf(LauncherUnavailable.class);
    assertThat(launcher.probe("docker:vm:0123456789abcdef")).isInstanceOf(Probe.Unreachable.class);
  }

  private DockerLauncher launcher(DockerConfig terms) {
    DockerLauncher launcher = new DockerLauncher(terms, (InstantSource) () -> now);
    launchers.add(launcher);
    return launcher;
  }

  private static DockerConfig terms() {
    return DockerContractTest.terms(engine);
  }

  private static DockerConfig image(String name, ImagePullPolicy imagePullPolicy) {
    return new DockerConfig(
        engine == null ? "" : engine.host(),
        "test",
        new BotImage(name, imagePullPolicy, Optional.empty(), Optional.empty()),
        Optional.of("none"));
  }

  private static BlockingQueue<BotExit> exits(Launcher launcher) {
    BlockingQueue<BotExit> exits = new LinkedBlockingQueue<>();
    launcher.onExit(exits::add);
    return exits;
  }
}
