package io.convoke.e2e.build;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.convoke.fakes.docker.DockerDaemon;
import io.convoke.simulator.process.DebianPackages;
import io.convoke.simulator.process.MachineLock;
import io.convoke.simulator.process.OrphanReaper;
import io.convoke.simulator.stores.LocalStores;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@code ./convoke release} makes, used as a user does: unpacked, installed by {@code dpkg},
 * and as images on a real engine. Prints what starts and sizes were.
 */
@Tag("nightly")
@Tag("heavy")
@Timeout(3600)
final class ReleaseTest {
  private static final long IDLE_KILOBYTES_MAX = 256_000;
  private static final long IMAGE_BYTES_MAX = 200_000_000;
  private static final Duration HEALTHY_WITHIN = Duration.ofMinutes(3);

  /** The one package that tests install on this machine. */
  private static final String PACKAGE = "convoke-server";

  @TempDir private static Path folder;
  private static Path released;

  @Timeout(900)
  @BeforeAll
  static void release() throws Exception {
    released = ReleaseFiles.make(folder.resolve("one"));
  }

  @Test
  void anotherBuildInAnotherFolderHasTheSameBytes() throws Exception {
    Path other = ReleaseFiles.make(folder.resolve("another"));
    assertThat(other.resolve("SHA256SUMS")).hasSameTextualContentAs(released.resolve("SHA256SUMS"));
    assertThat(ProjectCopy.run(other, Map.of(), "sha256sum", "--check", "SHA256SUMS"))
        .contains("convoke-server-", ".deb: OK", ".cdx.json: OK");
  }

  @Test
  void anUnpackedServerNeedsNoJdkAndStartsQuickly() throws Exception {
    Path home = unpack("convoke-server-*.tar.gz");
    String convoke = home.resolve("bin/convoke").toString();
    Map<String, String> settings = settings(LocalStores.forTests().freshDatabase());
    String _ = ProjectCopy.run(home, settings, convoke, "migrate");
    measured("unpacked server", convoke, settings, home.resolve("runtime"));
    // With -Xshare:on the JVM fails instead of doing without the class data archive.
    Map<String, String> strict = with(settings, "CONVOKE_JAVA_OPTS", "-Xshare:on");
    String _ = ProjectCopy.run(home, strict, convoke, "serve", "--help");
    try (Stream<Path> jars = Files.list(home.resolve("lib"))) {
      Path jar = jars.filter(it -> it.toString().endsWith(".jar")).findFirst().orElseThrow();
      String _ = ProjectCopy.run(home, Map.of(), "touch", jar.toString());
    }
    assertThat(ProjectCopy.start(home, strict, convoke, "serve", "--help").code()).isNotZero();
    assertThat(ProjectCopy.run(home, settings, convoke, "serve", "--help"))
        .as("without the archive it runs all the same, and says nothing")
        .startsWith("Usage:");
    Map<String, String> nowhere =
        with(settings, "CONVOKE_DATABASE_URL", "postgresql://x:y@127.0.0.1:1/convoke");
    assertThat(ProjectCopy.start(home, nowhere, convoke, "migrate"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(1))
        .satisfies(it -> assertThat(it.output()).contains("out of reach", "convoke doctor"))
        .satisfies(it -> assertThat(it.output()).doesNotContain("\tat "));
    assertThat(ProjectCopy.start(home, Map.of(), convoke, "serve", "--embedded"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(2))
        .satisfies(it -> assertThat(it.output()).contains("no embedded stores"));
  }

  @Test
  void anUnpackedPodAndBotStart() throws Exception {
    Path pod = unpack("convoke-pod-*.tar.gz");
    assertThat(ProjectCopy.run(pod, Map.of(), "bin/convoke-pod", "--help")).contains("--region");
    Path bot = unpack("convoke-agent-*.tar.gz");
    assertThat(ProjectCopy.start(bot, Map.of(), "bin/convoke-bot").output()).contains("BOT_CONFIG");
  }

  @Test
  void unpackedCommandsReachAServerByHttps() throws Exception {
    Path cli = unpack("convoke-cli-*.tar.gz");
    assertThat(ProjectCopy.run(cli, Map.of(), "bin/convoke-cli", "bot", "--help"))
        .contains("Usage: convoke-cli bot");
    ProjectCopy.Result refused =
        ProjectCopy.start(
            cli,
            Map.of("CONVOKE_URL", "https://127.0.0.1:1", "CONVOKE_API_KEY", "cvk_x"),
            "bin/convoke-cli",
            "meetings");
    assertThat(refused.code()).isEqualTo(3);
    assertThat(refused.output()).contains("No answer from https://127.0.0.1:1");
  }

  @Test
  void aPackageIsInstalledWithItsUserAndSettingsAndPurged() throws Exception {
    skipUnless(
        "root".equals(System.getProperty("user.name"))
            && DebianPackages.ensure(
                () -> DebianPackages.onPath("adduser").findAny().isPresent(), "adduser"),
        "dpkg as root, and adduser");
    try (MachineLock _ = MachineLock.acquire("packages")) {
      boolean hadUser = userExists();
      String _ =
          ProjectCopy.run(folder, Map.of(), "dpkg", "--install", file("convoke-server_*.deb"));
      try {
        assertThat(userExists()).isTrue();
        Path env = Path.of("/etc/convoke/convoke.env");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(env)))
            .isEqualTo("rw-r-----");
        assertThat(Files.readAttributes(env, "posix:group").get("group")).hasToString("convoke");
        if (DebianPackages.onPath("systemd-analyze").findAny().isPresent()) {
          String _ =
              ProjectCopy.run(
                  folder,
                  Map.of(),
                  "systemd-analyze",
                  "verify",
                  "/usr/lib/systemd/system/convoke.service");
        }
        Map<String, String> settings = settings(LocalStores.forTests().freshDatabase());
        Path user = Files.createTempFile(folder, "convoke", ".env");
        StringBuilder lines = new StringBuilder();
        settings.forEach((name, value) -> lines.append("%s='%s'%n".formatted(name, value)));
        Path _ = Files.writeString(user, lines);
        Map<String, String> file = Map.of("CONVOKE_ENV_FILE", user.toString());
        String _ = ProjectCopy.run(folder, file, "convoke", "migrate");
        measured("installed server", "convoke", file, Path.of("/usr/lib/convoke/server/runtime"));
        assertThat(ProjectCopy.run(folder, Map.of(), "dpkg", "--verify", PACKAGE)).isEmpty();
      } finally {
        String _ = ProjectCopy.run(folder, Map.of(), "dpkg", "--purge", PACKAGE);
        if (!hadUser) {
          ProjectCopy.Result _ = ProjectCopy.start(folder, Map.of(), "deluser", "convoke");
        }
      }
      assertThat(Path.of("/usr/lib/convoke/server")).doesNotExist();
      assertThat(Path.of("/usr/bin/convoke")).doesNotExist();
      assertThat(Path.of("/etc/convoke/convoke.env")).doesNotExist();
    }
  }

  @Test
  void commandsOfUsersAreInstalledWithoutAUserAndPurged() throws Exception {
    skipUnless("root".equals(System.getProperty("user.name")), "dpkg as root");
    try (MachineLock _ = MachineLock.acquire("packages")) {
      String _ = ProjectCopy.run(folder, Map.of(), "dpkg", "--install", file("convoke-cli_*.deb"));
      try {
        assertThat(ProjectCopy.run(folder, Map.of(), "convoke-cli", "--version")).isNotBlank();
        assertThat(ProjectCopy.run(folder, Map.of(), "convoke-cli", "bot", "--help"))
            .contains("Usage: convoke-cli bot");
        assertThat(ProjectCopy.run(folder, Map.of(), "dpkg", "--verify", "convoke-cli")).isEmpty();
      } finally {
        String _ = ProjectCopy.run(folder, Map.of(), "dpkg", "--purge", "convoke-cli");
      }
      assertThat(Path.of("/usr/lib/convoke/cli")).doesNotExist();
      assertThat(Files.isSymbolicLink(Path.of("/usr/bin/convoke-cli"))).isFalse();
    }
  }

  @Test
  void theImagesAreBuiltAndTheServersBecomesHealthy() throws Exception {
    Optional<String> obstacle = DockerDaemon.obstacle();
    skipUnless(obstacle.isEmpty(), "a Docker engine: " + obstacle.orElse(""));
    skipUnless(
        DebianPackages.ensure(
            () -> DebianPackages.onPath("debootstrap").findAny().isPresent(), "debootstrap"),
        "debootstrap, because no registry of images is reachable");
    Path base = DebianBase.make(folder.resolve("base"), folder.resolve("base.tar"));
    try (MachineLock _ = MachineLock.acquire("test-engine");
        OrphanReaper reaper = new OrphanReaper();
        DockerDaemon engine = DockerDaemon.start(folder.resolve("engine"), reaper)) {
      engine.importImage(base, "convoke-base:1", "sh");
      for (String target : List.of("pod", "bot", "server")) {
        build(engine, target);
      }
      System.out.println(
          "release: " + engine.docker("images", "--format", "{{.Repository}} {{.Size}}"));
      assertThat(
              Long.parseLong(
                  engine.docker("inspect", "-f", "{{.Size}}", "convoke-server:1").strip()))
          .as("bytes of the server's image, unpacked")
          .isLessThan(IMAGE_BYTES_MAX);
      assertThat(engine.docker("run", "--rm", "--network=none", "convoke-pod:1", "--help"))
          .contains("--region");
      healthy(engine);
    }
  }

  private static void build(DockerDaemon engine, String target) throws Exception {
    String _ =
        ProjectCopy.run(
            released,
            Map.of("DOCKER_BUILDKIT", "0"),
            "docker",
            "-H",
            "unix://" + engine.socket(),
            "build",
            "--network=none",
            "-f",
            SourcesTest.home().resolve("deploy/Dockerfile").toString(),
            "--target",
            target,
            "--build-arg",
            "BASE=convoke-base:1",
            "--build-arg",
            "VERSION=" + version(),
            "-t",
            "convoke-" + target + ":1",
            ".");
  }

  /** As compose runs it: not root, nothing to write on but its data, no capabilities. */
  private static void healthy(DockerDaemon engine) throws IOException, InterruptedException {
    Path env = Files.createTempFile(folder, "image", ".env");
    StringBuilder lines = new StringBuilder("CONVOKE_PORT=18080\n");
    settings(LocalStores.forTests().freshDatabase())
        .forEach((name, value) -> lines.append(name).append('=').append(value).append('\n'));
    Path _ = Files.writeString(env, lines);
    String id =
        engine.docker(
            "run",
            "--detach",
            "--network=host",
            "--read-only",
            "--tmpfs=/tmp",
            "--cap-drop=ALL",
            "--security-opt=no-new-privileges",
            "--env-file=" + env,
            "convoke-server:1");
    try {
      long end = System.nanoTime() + HEALTHY_WITHIN.toNanos();
      String health = "";
      while (!health.equals("healthy") && System.nanoTime() < end) {
        // `docker events` would tell of a change alone, and this one may have been before.
        health = engine.docker("inspect", "-f", "{{.State.Health.Status}}", id);
      }
      assertThat(health).as(() -> logs(engine, id)).isEqualTo("healthy");
      assertThat(engine.docker("exec", id, "id", "-u")).isEqualTo("65532");
      String _ = engine.docker("stop", "--time=60", id);
      assertThat(engine.docker("inspect", "-f", "{{.State.ExitCode}}", id)).isEqualTo("0");
    } finally {
      String _ = engine.docker("rm", "--force", "--volumes", id);
    }
  }

  private static String logs(DockerDaemon engine, String id) {
    try {
      return engine.docker("logs", id);
    } catch (IOException e) {
      return e.toString();
    }
  }

  /**
   * Starts a server, prints how long it took and what it keeps in memory when idle, and stops it.
   */
  private static void measured(
      String what, String convoke, Map<String, String> settings, Path runtime) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(convoke, "serve", "--port", "0", "--data", folder + "/data")
            .redirectError(folder.resolve("server.log").toFile());
    builder.environment().clear();
    builder.environment().put("PATH", "/usr/bin:/bin");
    builder.environment().putAll(settings);
    long start = System.nanoTime();
    Process process = builder.start();
    try (BufferedReader output = process.inputReader(UTF_8)) {
      String ready = output.readLine();
      long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
      assertThat(ready).as(Files.readString(folder.resolve("server.log"))).startsWith("ready ");
      long cpu = process.info().totalCpuDuration().orElse(Duration.ZERO).toMillis();
      assertThat(process.info().command().orElse("")).startsWith(runtime.toString());
      long idle = residentKilobytes(process.pid());
      try (HttpClient http = HttpClient.newHttpClient()) {
        URI livez = URI.create(ready.substring("ready ".length()) + "/livez");
        assertThat(
                http.send(HttpRequest.newBuilder(livez).build(), BodyHandlers.discarding())
                    .statusCode())
            .isEqualTo(200);
      }
      System.out.printf(
          "release: %s ready in %d ms, %d ms of CPU, %d MB resident%n",
          what, millis, cpu, idle / 1000);
      assertThat(idle).isLessThan(IDLE_KILOBYTES_MAX);
      process.destroy();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isZero();
    } finally {
      var _ = process.destroyForcibly();
    }
  }

  private static long residentKilobytes(long pid) throws IOException {
    return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
        .filter(it -> it.startsWith("VmRSS:"))
        .mapToLong(it -> Long.parseLong(it.replaceAll("\\D", "")))
        .findFirst()
        .orElseThrow();
  }

  private static Map<String, String> settings(String database) {
    return Map.of(
        "CONVOKE_DATABASE_URL",
        database,
        "CONVOKE_REDIS_URL",
        LocalStores.forTests().ownRedis().url(),
        "CONVOKE_SECRET_KEY",
        "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
        "CONVOKE_ADMIN_TOKEN",
        "an-admin-token-of-a-test",
        "CONVOKE_SHUTDOWN_DELAY",
        "0s");
  }

  private static Map<String, String> with(Map<String, String> settings, String name, String value) {
    Map<String, String> more = new HashMap<>(settings);
    more.put(name, value);
    return more;
  }

  private static Path unpack(String archive) throws IOException, InterruptedException {
    Path into = Files.createTempDirectory(folder, "unpacked");
    String _ = ProjectCopy.run(into, Map.of(), "tar", "-xzf", file(archive));
    try (Stream<Path> roots = Files.list(into)) {
      return roots.findFirst().orElseThrow();
    }
  }

  private static String file(String glob) throws IOException {
    try (var files = Files.newDirectoryStream(released, glob)) {
      return files.iterator().next().toString();
    }
  }

  private static String version() throws IOException {
    return Path.of(file("convoke-server-*.tar.gz"))
        .getFileName()
        .toString()
        .replaceFirst("convoke-server-(.*)-linux-.*", "$1");
  }

  private static boolean userExists() throws IOException, InterruptedException {
    return ProjectCopy.start(folder, Map.of(), "getent", "passwd", "convoke").code() == 0;
  }

  private static void skipUnless(boolean possible, String what) {
    if (!possible) {
      System.err.printf("%n*** SKIPPED: a test of the release needs %s ***%n%n", what);
    }
    assumeTrue(possible, what);
  }
}
