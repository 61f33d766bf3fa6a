package io.convoke.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The scripts in {@code bin/}, with a Java that writes down how it is called. */
class LauncherTest {
  private static final String JAVA =
      """
      #!/bin/sh
      printf '%s\\n' "$@"
      env | grep '^CONVOKE_' | sort
      """;

  @TempDir Path folder;
  private Path home;

  private record Result(int code, List<String> lines) {}

  @BeforeEach
  void unpack() throws IOException {
    home = Files.createDirectories(folder.resolve("a folder/convoke")).toRealPath();
    for (String sub : List.of("bin", "lib", "conf", "runtime/bin")) {
      Path _ = Files.createDirectories(home.resolve(sub));
    }
    Path _ = Files.writeString(home.resolve(Launcher.CLASS_PATH), "b.jar\na.jar\n");
    Path _ = Files.writeString(home.resolve("VERSION"), "1.2.3\n");
    program("runtime/bin/java", JAVA);
    for (Product product : Product.ALL) {
      program("bin/" + product.launcher(), Launcher.script(product));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"serve", "migrate", "doctor", "replay", "reseal", "pod-key"})
  void aCommandRunsWithTheLibrariesInTheirOrder(String command) throws Exception {
    Result result = run(Map.of(), "convoke", command, "--data", "a b");
    assertThat(result.lines())
        .containsSubsequence(
            "-cp",
            home + "/lib/b.jar:" + home + "/lib/a.jar",
            "io.convoke.server.Main",
            command,
            "--data",
            "a b")
        .contains("-XX:SharedArchiveFile=" + home + "/lib/classes.jsa");
  }

  @Test
  void aPodTakesEveryArgument() throws Exception {
    assertThat(run(Map.of(), "convoke-pod", "--exec", "x y").lines())
        .containsSubsequence("io.convoke.agent.ReferencePod", "--exec", "x y");
  }

  @Test
  void anUnknownCommandAndNoneAreRefused() throws Exception {
    assertThat(run(Map.of(), "convoke", "server").code()).isEqualTo(2);
    assertThat(run(Map.of(), "convoke").lines()).anyMatch(it -> it.contains("migrate"));
    assertThat(run(Map.of(), "convoke", "--help").code()).isZero();
    assertThat(run(Map.of(), "convoke", "--version").lines()).containsExactly("1.2.3");
  }

  @Test
  void aLinkToItFindsItsFiles() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("link"), home.resolve("bin/convoke"));
    assertThat(run(Map.of(), link, "serve").lines()).contains("io.convoke.server.Main");
  }

  @Test
  void settingsComeFromTheFileUnlessTheyAreSet() throws Exception {
    settings(
        """
        # a comment

        CONVOKE_PORT=9000
        CONVOKE_HOST="0.0.0.0"
        CONVOKE_ADMIN_TOKEN=a=b $(touch /tmp/never) `x` 'y'
        CONVOKE_REDIS_URL='redis://redis'
        CONVOKE_JAVA_OPTS=-Xmx99m -Da=b""");
    List<String> lines = run(Map.of("CONVOKE_PORT", "1"), "convoke", "serve").lines();
    assertThat(lines)
        .contains(
            "CONVOKE_PORT=1",
            "CONVOKE_HOST=0.0.0.0",
            "CONVOKE_ADMIN_TOKEN=a=b $(touch /tmp/never) `x` 'y'",
            "CONVOKE_REDIS_URL=redis://redis",
            "-Xmx99m",
            "-Da=b");
  }

  @Test
  void anotherFileCanBeNamedAndIsNoSettingItself() throws Exception {
    settings("CONVOKE_PORT=9000\n");
    Path other = Files.writeString(folder.resolve("other.env"), "CONVOKE_PORT=9001\n");
    List<String> lines =
        run(Map.of("CONVOKE_ENV_FILE", other.toString()), "convoke", "serve").lines();
    assertThat(lines)
        .contains("CONVOKE_PORT=9001")
        .noneMatch(it -> it.startsWith("CONVOKE_ENV_FILE"));
  }

  @Test
  void aLineThatIsNoSettingIsNamedWithoutItsValue() throws Exception {
    settings("export CONVOKE_ADMIN_TOKEN=secret\n");
    Result result = run(Map.of(), "convoke", "serve");
    assertThat(result.code()).isEqualTo(2);
    assertThat(String.join("\n", result.lines()))
        .contains("export CONVOKE_ADMIN_TOKEN")
        .doesNotContain("secret");
  }

  private void settings(String text) throws IOException {
    Path _ = Files.writeString(home.resolve("conf/convoke.env"), text);
  }

  private void program(String name, String text) throws IOException {
    DebianPackage.executable(Files.writeString(home.resolve(name), text));
  }

  private Result run(Map<String, String> environment, String launcher, String... arguments)
      throws IOException, InterruptedException {
    return run(environment, home.resolve("bin").resolve(launcher), arguments);
  }

  private Result run(Map<String, String> environment, Path script, String... arguments)
      throws IOException, InterruptedException {
    List<String> line = new ArrayList<>(List.of("sh", script.toString()));
    line.addAll(List.of(arguments));
    Path output = folder.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().keySet().removeIf(it -> it.startsWith("CONVOKE_"));
    builder.environment().putAll(environment);
    Process process = builder.start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new Result(process.exitValue(), Files.readAllLines(output));
  }
}
