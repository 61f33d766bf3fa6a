package io.convoke.server.launch.docker;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.config.ServerConfig;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.launch.Launcher.BotExit;
import io.convoke.server.launch.ScriptedBot;
import java.io.IOException;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a container may do, asked in a container of a real engine. */
@NeedsDocker
@Tag("nightly")
final class DockerSandboxTest {
  private static TestDockerEngine engine;

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
    try (DockerEngine hand = engine.byHand()) {
      hand.labelled(ContainerLabels.FLEET, "test")
          .forEach(container -> hand.remove(container.getId()));
    }
  }

  @Test
  void aBotIsNobodyAndCanWriteToScratchSpaceOnly() throws Exception {
    assertThat(asked(1, Map.of()))
        .containsExactly(
            "uid 65532",
            "CapEff: 0000000000000000",
            "CapBnd: 0000000000000000",
            "NoNewPrivs: 1",
            "root refused",
            "tmp works",
            "home works in /home/bot",
            "shm 1048576",
            "pids 1024",
            "memory 2147483648",
            "fork refused");
  }

  @Test
  void aTemplateLoosensWhatItNamesAlone() throws Exception {
    assertThat(
            asked(
                2,
                Map.of(
                    "CONVOKE_BOT_DOCKER_TEMPLATE",
                    "{\"User\":\"0\",\"HostConfig\":{\"ReadonlyRootfs\":false,"
                        + "\"CapAdd\":[\"CHOWN\"],\"ShmSize\":67108864,\"PidsLimit\":200}}")))
        .contains("uid 0", "NoNewPrivs: 1", "CapEff: 0000000000000001", "root works")
        .contains("shm 65536", "pids 200");
  }

  @Test
  void vexasImageRunsAsRootWithoutCapabilities() throws Exception {
    assertThat(asked(3, Map.of("CONVOKE_BOT_PROTOCOL", "vexa")))
        .contains("uid 0", "NoNewPrivs: 1", "CapEff: 0000000000000000", "root works")
        .contains("shm 1048576", "pids 1024");
  }

  private static List<String> asked(long meeting, Map<String, String> settings) throws Exception {
    Map<String, String> all = new HashMap<>(settings);
    all.put("CONVOKE_BOT_LAUNCHER", "docker");
    all.put("CONVOKE_BOT_IMAGE", TestDockerEngine.IMAGE);
    all.put("CONVOKE_BOT_PULL", "never");
    all.put("CONVOKE_BOT_FLEET", "test");
    all.put("CONVOKE_DOCKER_HOST", engine.host());
    all.put("CONVOKE_DOCKER_NETWORK", "none");
    LaunchSpec of = ScriptedBot.POLITE.spec(meeting);
    LaunchSpec spec =
        new LaunchSpec(
            meeting, 1, of.connectionId(), of.containerName(), "{\"act\":\"questions\"}");
    try (DockerLauncher launcher =
        new DockerLauncher(DockerConfig.of(ServerConfig.of(all)), InstantSource.system())) {
      BlockingQueue<BotExit> exits = new LinkedBlockingQueue<>();
      launcher.onExit(exits::add);
      String handle = launcher.launch(spec);
      assertThat(exits.poll(60, TimeUnit.SECONDS)).as("it ended").isNotNull();
      return launcher.remains(handle).lastLines();
    }
  }
}
