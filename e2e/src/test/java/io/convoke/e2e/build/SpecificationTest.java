package io.convoke.e2e.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds the requirements in {@code docs/spec/} against the tests that they name. */
class SpecificationTest {
  private static final Path HOME = SourcesTest.home();
  private static final Pattern ROW = Pattern.compile("\\| ([a-z]+-\\d+) \\|.*");
  private static final Pattern TEST = Pattern.compile("`(\\w+)#(\\w+)`");

  /** The text of all test classes of one simple name: some names are used in two packages. */
  private static final Map<String, String> TESTS = tests();

  @ParameterizedTest
  @ValueSource(
      strings = {"presence", "recordings", "bots", "sync", "transcripts", "dispatch", "durable"})
  void requirementsAreNumberedWithoutGapAndNameTestsThatExist(String page) throws IOException {
    List<Matcher> rows =
        Files.readAllLines(HOME.resolve("docs/spec/" + page + ".md")).stream()
            .map(ROW::matcher)
            .filter(Matcher::matches)
            .toList();

    assertThat(rows.stream().map(row -> row.group(1)))
        .isNotEmpty()
        .containsExactlyElementsOf(
            IntStream.rangeClosed(1, rows.size()).mapToObj(n -> page + "-" + n).toList());
    assertThat(rows).allSatisfy(SpecificationTest::namesTestsThatExist);
  }

  @Test
  void rulesOfTheOriginalsAreNumberedBySystemAndNameTestsThatExist() throws IOException {
    Map<String, List<Matcher>> systems =
        Files.readAllLines(HOME.resolve("docs/spec/originals.md")).stream()
            .map(ROW::matcher)
            .filter(Matcher::matches)
            .collect(Collectors.groupingBy(row -> row.group(1).replaceAll("-\\d+", "")));

    assertThat(systems).isNotEmpty();
    systems.forEach(
        (system, rows) -> {
          assertThat(rows.stream().map(row -> row.group(1)))
              .containsExactlyElementsOf(
                  IntStream.rangeClosed(1, rows.size()).mapToObj(n -> system + "-" + n).toList());
          assertThat(rows).allSatisfy(SpecificationTest::namesTestsThatExist);
        });
  }

  private static void namesTestsThatExist(Matcher row) {
    assertThat(TEST.matcher(row.group()).results())
        .as(row.group(1))
        .isNotEmpty()
        .allMatch(
            test -> TESTS.getOrDefault(test.group(1), "").contains("void " + test.group(2) + "("));
  }

  private static Map<String, String> tests() {
    try (Stream<Path> files = Files.walk(HOME)) {
      return files
          .filter(file -> file.toString().contains("/src/test/java/"))
          .filter(file -> file.toString().endsWith(".java"))
          .collect(
              Collectors.toMap(
                  file -> file.getFileName().toString().replace(".java", ""),
                  SpecificationTest::text,
                  String::concat));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
