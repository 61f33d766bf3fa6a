package io.convoke.e2e.media;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.convoke.e2e.build.DebianBase;
import io.convoke.e2e.build.ProjectCopy;
import io.convoke.e2e.journey.ApiUser;
import io.convoke.e2e.journey.JourneyTestServer;
import io.convoke.fakes.docker.DockerDaemon;
import io.convoke.simulator.process.DebianPackages;
import io.convoke.simulator.process.MachineLock;
import io.convoke.simulator.process.OrphanReaper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * The bot of {@code examples/janus-bot} as an image of its Dockerfile, on a Debian with a Java of
 * its own, sent by the Docker launcher into a room of a real Janus: what it does on SIGTERM as the
 * first process of a container, not root, in 256 MB and on a file system that it cannot write.
 */
@Tag("nightly")
@Tag("heavy")
@Timeout(900)
class JanusBotImageTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Duration DIES_WITHIN = Duration.ofSeconds(5);
  private static final String IMAGE = "janus-bot:1";

  @TempDir private Path folder;

  @Test
  void onSigtermItUploadsAllAndLeavesInGoodOrder() throws Exception {
    JanusMachine.require();
    Optional<String> obstacle = DockerDaemon.obstacle();
    skipUnless(obstacle.isEmpty(), "a Docker engine: " + obstacle.orElse(""));
    skipUnless(
        DebianPackages.ensure(
            () -> DebianPackages.onPath("debootstrap").findAny().isPresent(), "debootstrap"),
        "debootstrap, because no registry of images is reachable");
    Path project = folder.resolve("janus-bot");
    BuiltJanusBot _ = new BuiltJanusBot(project);
    try (MachineLock _ = MachineLock.acquire("test-engine");
        OrphanReaper reaper = new OrphanReaper();
        DockerDaemon engine = DockerDaemon.start(folder.resolve("engine"), reaper)) {
      build(engine, project);
      Map<String, String> settings =
          Map.of(
              "CONVOKE_BOT_LAUNCHER",
              "docker",
              "CONVOKE_DOCKER_HOST",
              "unix://" + engine.socket(),
              "CONVOKE_DOCKER_NETWORK",
              "host",
              "CONVOKE_BOT_IMAGE",
              IMAGE,
              "CONVOKE_BOT_PULL",
              "never",
              "CONVOKE_BOT_MEMORY",
              "256m",
              "CONVOKE_BOT_RECORDING",
              "true");
      try (JanusMachine machine = new JanusMachine(folder, settings);
          SpokenRoom speakers = new SpokenRoom(machine.server().server().url())) {
        ApiUser olivia = machine.olivia();
        String link = BuiltJanusBot.room(olivia);
        speakers.join(link, "Ada", false);
        long meeting = BuiltJanusBot.send(olivia, link, "{}");
        String container = running(engine);
        JourneyTestServer.await(
            "sound of Ada",
            SOON,
            () -> logs(engine, container).lines().anyMatch(line -> line.startsWith("hears ")));
        speakers.say("Ada", "We sell the boat on Monday.");
        assertThat(engine.docker("exec", container, "sh", "-c", "id -u; cat /proc/1/comm"))
            .isEqualTo("65532\njava");
        System.out.println(
            "janus-bot image: "
                + engine.docker("stats", "--no-stream", "--format", "{{.MemUsage}}", container));

        long told = System.nanoTime();
        String _ = engine.docker("kill", "--signal=TERM", container);
        JourneyTestServer.await("its end", SOON, () -> !running(engine).contains(container));
        Duration died = Duration.ofNanos(System.nanoTime() - told);
        System.out.printf(
            Locale.ROOT, "janus-bot image: ended %d ms after SIGTERM%n", died.toMillis());
        assertThat(died).isLessThan(DIES_WITHIN);
        assertThat(BuiltJanusBot.end(olivia, meeting)).isEqualTo("completed: terminated");
        JsonNode outcome = BuiltJanusBot.meeting(olivia, meeting).path("data").path("outcome");
        assertThat(outcome.path("exit_code").asInt(-1)).as("%s", outcome).isZero();
        JsonNode recording =
            olivia.get("/meetings/" + meeting + "/recordings").body().path("items").path(0);
        assertThat(recording.path("status").asString("in_progress"))
            .as("all was uploaded")
            .isNotEqualTo("in_progress");
      }
    }
  }

  /** The image of the Dockerfile, on the smallest Debian with a Java. */
  private void build(DockerDaemon engine, Path project) throws Exception {
    Path base = DebianBase.newest(folder.resolve("base"));
    String _ =
        ProjectCopy.run(
            folder,
            Map.of(),
            Path.of(System.getProperty("java.home"), "bin", "jlink").toString(),
            "--add-modules=java.se,jdk.unsupported",
            "--strip-java-debug-attributes",
            "--exclude-files=**.debuginfo",
            "--output=" + base.resolve("opt/java"));
    Path tar = folder.resolve("base.tar");
    String _ = ProjectCopy.run(base, Map.of(), "tar", "-cf", tar.toString(), ".");
    String _ = ProjectCopy.run(folder, Map.of(), "rm", "-rf", base.toString());
    String _ =
        engine.docker(
            "import", "-c", "ENV PATH=/opt/java/bin:/usr/sbin:/usr/bin", tar.toString(), "java:1");
    String _ =
        ProjectCopy.run(
            project,
            Map.of("DOCKER_BUILDKIT", "0"),
            "docker",
            "-H",
            "unix://" + engine.socket(),
            "build",
            "--network=host",
            "--build-arg=BASE=java:1",
            "-t",
            IMAGE,
            ".");
    System.out.println("janus-bot image: " + engine.docker("images", "--format={{.Size}}", IMAGE));
  }

  private static String running(DockerDaemon engine) {
    try {
      return engine.docker("ps", "-q").strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String logs(DockerDaemon engine, String container) {
    try {
      return engine.docker("logs", container);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void skipUnless(boolean possible, String what) {
    if (!possible) {
      System.err.printf("%n*** SKIPPED: JanusBotImageTest needs %s ***%n%n", what);
    }
    assumeTrue(possible, what);
  }
}
