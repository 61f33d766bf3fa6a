package io.convoke.e2e.build;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The class paths of the programs, as the build leaves them in {@code MODULE/target/lib} and {@code
 * ./convoke} passes them to Java (see {@link ConvokeScriptTest}). Maven makes both the checked
 * folders and the expected list, so this needs a build by Maven.
 */
class ClassPathsTest {
  private static final List<String> MODULES =
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
          "bench");

  @ParameterizedTest
  @ValueSource(
      strings = {
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
        "bench"
      })
  void aModuleRunsWithItselfAndItsMavenDependencies(String module) throws IOException {
    Set<String> expected =
        resolved(module)
            .map(Path::getFileName)
            .map(Path::toString)
            .collect(toCollection(TreeSet::new));
    try (Stream<Path> files = Files.list(libraries(module))) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .filteredOn(name -> !name.startsWith("convoke-" + module + "-"))
          .containsExactlyInAnyOrderElementsOf(expected);
    }
    assertThat(libraries(module)).isDirectoryContaining("glob:**/convoke-" + module + "-*.jar");
  }

  @Test
  void aServerHasNothingThatOnlyTheBenchesNeed() throws IOException {
    Set<String> theirs =
        Set.of("jobrunr", "redisson", "transact", "db-scheduler", "convoke-bench", "playwright");
    assertThat(artifacts("server").keySet())
        .isNotEmpty()
        .noneMatch(it -> theirs.contains(name(it)));
    assertThat(artifacts("bench").keySet())
        .extracting(ClassPathsTest::name)
        .contains("jobrunr", "redisson", "transact", "db-scheduler");
  }

  @Test
  void allProgramsHaveTheSameVersionOfAnArtifact() throws IOException {
    Map<String, Set<String>> versions = new TreeMap<>();
    for (String module : MODULES) {
      artifacts(module)
          .forEach((it, found) -> versions.computeIfAbsent(it, _ -> new TreeSet<>()).addAll(found));
    }
    assertThat(versions).isNotEmpty().allSatisfy((_, found) -> assertThat(found).hasSize(1));
  }

  /** A dependency declared again with another scope would hide what a used module runs with. */
  @Test
  void aModuleHasEverythingThatTheModulesItUsesRunWith() throws IOException {
    for (String module : MODULES) {
      for (Path used : resolved(module).filter(ClassPathsTest::isOurs).toList()) {
        String name = used.getFileName().toString().replaceFirst("convoke-([a-z]+)-.*", "$1");
        assertThat(artifacts(module).keySet())
            .as("%s uses %s", module, name)
            .containsAll(artifacts(name).keySet());
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "server, io.convoke.server.Main,        serve",
    "agent,  io.convoke.agent.ReferencePod, --slots=1",
    "cli,    io.convoke.cli.ConvokeCommand, meetings",
    "demo,   io.convoke.demo.DemoCommand,   --seed=1",
    "simulator, io.convoke.simulator.SimCommand, --port=0",
    "chaos,  io.convoke.chaos.ChaosCommand, presence",
    "bench,  io.convoke.bench.Main,         durable"
  })
  @Tag("nightly")
  void aProgramStartsWithItsLibraries(String module, String main, String command) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                libraries(module) + "/*",
                main,
                command,
                "--help")
            .redirectErrorStream(true)
            .start();
    try (Stream<String> lines = process.inputReader(UTF_8).lines()) {
      String output = String.join("\n", lines.toList());
      assertThat(process.waitFor()).as(output).isZero();
      assertThat(output).contains("Usage:");
    }
  }

  private static Path libraries(String module) {
    Path folder = Path.of("..", module, "target", "lib");
    assertThat(folder).as("made by mvn process-classes").isDirectory();
    return folder;
  }

  private static Stream<Path> resolved(String module) throws IOException {
    Path file = Path.of("..", module, "target", "library.classpath");
    assertThat(file).as("made by mvn test").isRegularFile();
    return Arrays.stream(Files.readString(file).strip().split(File.pathSeparator, -1))
        .map(Path::of);
  }

  /** Versions by group and artifact, of artifacts from a repository. */
  private static Map<String, Set<String>> artifacts(String module) throws IOException {
    Map<String, Set<String>> found = new TreeMap<>();
    resolved(module)
        .filter(jar -> !isOurs(jar))
        .forEach(
            jar -> {
              Path version = jar.getParent();
              boolean _ =
                  found
                      .computeIfAbsent(version.getParent().toString(), _ -> new TreeSet<>())
                      .add(version.getFileName().toString());
            });
    return found;
  }

  /** Whether a jar is one of this repository's modules. */
  private static boolean isOurs(Path jar) {
    return jar.endsWith(Path.of("target/lib", jar.getFileName().toString()));
  }

  private static String name(String artifact) {
    return Path.of(artifact).getFileName().toString();
  }
}
