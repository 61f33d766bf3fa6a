package io.convoke.e2e.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Rules that the compiler does not check: the size of files, a javadoc for each package, sleeping
 * tests.
 */
class SourcesTest {
  private static final int LINES_MAX = 600;
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
          "bench",
          "e2e",
          "gate",
          "release");
  private static final Path HOME = home();
  private static final Pattern SLEEP =
      Pattern.compile("Thread\\.sleep\\(|TimeUnit\\.[A-Z]+\\.sleep\\(|@" + "Disabled");

  @Test
  void noFileIsTooLongToRead() {
    assertThat(
            sources("java", "js", "lua", "sql", "css")
                .filter(file -> lines(file).size() > LINES_MAX))
        .isEmpty();
  }

  @Test
  void everyPackageHasAJavadoc() {
    Set<Path> packages =
        sources("java")
            .filter(file -> file.toString().contains("src/main"))
            .map(Path::getParent)
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(packages)
        .isNotEmpty()
        .allSatisfy(
            folder ->
                assertThat(folder.resolve("package-info.java"))
                    .exists()
                    .content()
                    .contains("@NullMarked")
                    .contains("/**")
                    .doesNotContain("Placeholder"));
  }

  @Test
  void noTestSleepsOrIsSwitchedOff() {
    assertThat(
            sources("java")
                .filter(file -> file.toString().contains("src/test"))
                .filter(file -> SLEEP.matcher(String.join("\n", lines(file))).find()))
        .isEmpty();
  }

  private static Stream<Path> sources(String... endings) {
    return MODULES.stream()
        .map(module -> HOME.resolve(module).resolve("src"))
        .flatMap(SourcesTest::walk)
        .filter(file -> !file.toString().contains("/vendor/"))
        .filter(file -> Stream.of(endings).anyMatch(end -> file.toString().endsWith("." + end)));
  }

  private static Stream<Path> walk(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Path home() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("CHANGELOG.md"))) {
      folder = folder.getParent();
    }
    return folder;
  }
}
