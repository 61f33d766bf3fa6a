package io.convoke.e2e.build;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code ./convoke} itself, with a Java and a Maven that only write down how they are called: which
 * class path each command runs with.
 */
class ConvokeScriptTest {
  private static final String JAVA =
      """
      #!/bin/sh
      [ "$1" != -version ] || { echo 'openjdk version "25.0.1"' >&2; exit 0; }
      printf '%s\\n' "$@"
      """;

  private static final String MAVEN =
      """
      #!/bin/sh
      echo "$@" >>maven.log
      """;

  @TempDir Path folder;
  private Path home;
  private Path java;
  private String path = "";
  private boolean withHome = true;

  @BeforeEach
  void checkout() throws IOException {
    home = Files.createDirectory(folder.resolve("home")).toRealPath();
    Path _ = Files.copy(Path.of("../convoke"), home.resolve("convoke"));
    Path _ = Files.writeString(home.resolve("pom.xml"), "");
    for (String module :
        List.of(
            "simulator",
            "durable",
            "dispatch",
            "agent",
            "client",
            "cli",
            "fakes",
            "server",
            "demo",
            "chaos",
            "bench")) {
      Path _ = Files.createDirectories(home.resolve(module).resolve("src/main"));
      Path _ = Files.writeString(home.resolve(module).resolve("pom.xml"), "");
    }
    java = folder.resolve("jdk");
    program(java.resolve("bin/java"), JAVA);
    program(java.resolve("bin/javac"), JAVA);
    program(folder.resolve("bin/mvn"), MAVEN);
    path = folder.resolve("bin") + ":" + System.getenv("PATH");
  }

  @ParameterizedTest
  @CsvSource({
    "serve,   server, io.convoke.server.Main",
    "migrate, server, io.convoke.server.Main",
    "doctor,  server, io.convoke.server.Main",
    "replay,  server, io.convoke.server.Main",
    "pod,     agent,  io.convoke.agent.ReferencePod",
    "login,   cli,    io.convoke.cli.ConvokeCommand",
    "bot,     cli,    io.convoke.cli.ConvokeCommand",
    "events,  cli,    io.convoke.cli.ConvokeCommand",
    "demo,    demo,   io.convoke.demo.DemoCommand",
    "sim,     simulator, io.convoke.simulator.SimCommand",
    "chaos,   chaos,  io.convoke.chaos.ChaosCommand",
    "bench,   bench,  io.convoke.bench.Main"
  })
  void aProgramRunsWithTheLibrariesOfItsModule(String command, String module, String main)
      throws Exception {
    built();
    List<String> line = convoke(command, "--flag");
    assertThat(line.get(line.indexOf("-cp") + 1)).isEqualTo(home + "/" + module + "/target/lib/*");
    assertThat(line.get(line.indexOf("-cp") + 2)).isEqualTo(main);
    assertThat(line).endsWith("--flag").contains("-Dconvoke.home=" + home);
    assertThat(home.resolve("maven.log")).doesNotExist();
  }

  @Test
  void theAotCacheIsUsedForTheClassPathOfTheServerOnly() throws Exception {
    built();
    String cache = "-XX:AOTCache=" + home.resolve("target/convoke.aot");
    assertThat(convoke("serve")).contains(cache);
    assertThat(convoke("pod")).doesNotContain(cache);
    assertThat(convoke("demo"))
        .doesNotContain(cache)
        .contains("-Dconvoke.learned=" + home.resolve("target/convoke.aot"));
  }

  /** As a unit of systemd without a user starts it. */
  @Test
  void noHomeIsNeeded() throws Exception {
    built();
    withHome = false;
    assertThat(convoke("serve")).contains("io.convoke.server.Main");
  }

  @Test
  void theFirstCommandBuilds() throws Exception {
    assertThat(convoke("serve")).contains("io.convoke.server.Main");
    assertThat(home.resolve("maven.log")).content().contains("process-classes");
  }

  @Test
  void withoutMavenTheWrapperBuilds() throws Exception {
    Path programs = folder.resolve("bin");
    Path _ = Files.move(programs.resolve("mvn"), home.resolve("mvnw"));
    for (String program :
        List.of(
            "sh",
            "sed",
            "dirname",
            "readlink",
            "find",
            "touch",
            "mkdir",
            "mktemp",
            "mv",
            "rm",
            "cat",
            "sleep")) {
      Path _ = Files.createSymbolicLink(programs.resolve(program), installed(program));
    }
    path = programs.toString();
    assertThat(convoke("serve")).contains("io.convoke.server.Main");
    assertThat(home.resolve("maven.log")).content().contains("process-classes");
  }

  private static Path installed(String program) {
    return Stream.of(System.getenv("PATH").split(":"))
        .map(folder -> Path.of(folder, program))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aReleaseIsBuiltAndPackedWithVersionTimeAndFolder() throws Exception {
    Path _ = Files.writeString(home.resolve("pom.xml"), "<project>\n  <version>1.2.3</version>\n");
    List<String> line = convoke("release", "/somewhere");
    assertThat(home.resolve("maven.log")).content().contains("process-classes", "release/server");
    assertThat(line.get(line.indexOf("-cp") + 1)).isEqualTo(home + "/release/target/lib/*");
    assertThat(line)
        .containsSubsequence("io.convoke.release.Main", home.toString(), "1.2.3")
        .endsWith("1767225600", "/somewhere");
    assertThatThrownBy(() -> convoke("release", "--sign")).hasMessageContaining("--sign");
  }

  @Test
  void testsAreBuiltByMavenAndRunByTheGate() throws Exception {
    List<String> line = convoke("test", "--only", "SomeTest");
    assertThat(home.resolve("maven.log")).content().contains("test-compile");
    assertThat(line.get(line.indexOf("-cp") + 1)).isEqualTo(home + "/gate/target/lib/*");
    assertThat(line.get(line.indexOf("-cp") + 2)).isEqualTo("io.convoke.gate.Main");
    assertThat(line).endsWith("--only", "SomeTest").contains("-Dconvoke.home=" + home);
  }

  @Test
  void aBuildThatFailsIsTheEndOfTheTests() throws Exception {
    program(folder.resolve("bin/mvn"), "#!/bin/sh\nexit 1\n");
    assertThatThrownBy(() -> convoke("test")).hasMessageContaining("the build failed");
  }

  /** The files of a build, with a cache made by a training run. */
  private void built() throws IOException {
    Path target = Files.createDirectory(home.resolve("target"));
    Path _ = Files.writeString(target.resolve("convoke.aot"), "");
    Path _ = Files.writeString(target.resolve("built"), "");
  }

  /** The arguments that Java was called with. */
  private List<String> convoke(String... command) throws Exception {
    List<String> line = new ArrayList<>(List.of("sh", home.resolve("convoke").toString()));
    line.addAll(List.of(command));
    ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(false);
    builder.environment().put("JAVA_HOME", java.toString());
    builder.environment().put("PATH", path);
    if (!withHome) {
      String _ = builder.environment().remove("HOME");
    }
    Process process = builder.redirectError(folder.resolve("errors").toFile()).start();
    try (Stream<String> lines = process.inputReader(UTF_8).lines()) {
      List<String> arguments = lines.toList();
      assertThat(process.waitFor()).as(Files.readString(folder.resolve("errors"))).isZero();
      return arguments;
    }
  }

  private static void program(Path file, String text) throws IOException {
    Path _ = Files.createDirectories(file.resolveSibling("."));
    Path _ = Files.writeString(file, text);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }
}
