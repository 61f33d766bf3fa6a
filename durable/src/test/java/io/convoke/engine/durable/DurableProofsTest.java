package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Holds {@code docs/spec/durable-proofs.md} against the tests: every row names some, and all exist.
 */
class DurableProofsTest {
  private static final Path PAGE = Path.of("..", "docs", "spec", "durable-proofs.md");
  private static final Path TESTS = Path.of("src", "test", "java");
  private static final Pattern NAMED = Pattern.compile("`(\\w+)#(\\w+)`");

  @Test
  void everyTestThatIsNamedExists() throws Exception {
    Map<String, String> classes = testClasses();
    List<String> missing = new ArrayList<>();
    for (List<String> rows : sections().values()) {
      for (String row : rows) {
        Matcher named = NAMED.matcher(row);
        while (named.find()) {
          String simple = named.group(1);
          if (!classes.containsKey(simple) || !isTest(classes.get(simple), named.group(2))) {
            missing.add(named.group());
          }
        }
      }
    }
    assertThat(missing).isEmpty();
  }

  @Test
  void everyRowNamesATest() throws IOException {
    assertThat(sections()).hasSize(6);
    sections()
        .forEach(
            (section, rows) ->
                assertThat(rows)
                    .as(section)
                    .isNotEmpty()
                    .allSatisfy(row -> assertThat(NAMED.matcher(row).find()).as(row).isTrue()));
  }

  @Test
  void noFlawAndNoTestOfThePlanIsLeftOut() throws IOException {
    Map<String, List<String>> sections = sections();
    assertThat(numbers(rows(sections, "Flaws"))).isEqualTo(upTo(34));
    assertThat(numbers(rows(sections, "Test plan"))).isEqualTo(upTo(10));
    assertThat(rows(sections, "Several nodes")).hasSizeGreaterThanOrEqualTo(6);
    assertThat(rows(sections, "Failure modes")).hasSizeGreaterThanOrEqualTo(4);
    assertThat(rows(sections, "Walk-throughs")).hasSizeGreaterThanOrEqualTo(4);
  }

  /** The rows of the table under each heading, without its head. */
  private static Map<String, List<String>> sections() throws IOException {
    Map<String, List<String>> sections = new HashMap<>();
    String heading = "";
    for (String line : Files.readAllLines(PAGE)) {
      if (line.startsWith("## ")) {
        heading = line.substring(3);
      } else if (line.startsWith("| ")) {
        boolean _ = sections.computeIfAbsent(heading, name -> new ArrayList<>()).add(line);
      }
    }
    sections.values().forEach(List::removeFirst);
    return sections;
  }

  private static List<String> rows(Map<String, List<String>> sections, String heading) {
    return sections.getOrDefault(heading, List.of());
  }

  private static List<String> numbers(List<String> rows) {
    return rows.stream().map(row -> row.split("\\|", -1)[1].strip()).toList();
  }

  private static List<String> upTo(int last) {
    return IntStream.rangeClosed(1, last).mapToObj(Integer::toString).toList();
  }

  /** Full names by simple ones. */
  private static Map<String, String> testClasses() throws IOException {
    Map<String, String> classes = new HashMap<>();
    try (Stream<Path> files = Files.walk(TESTS)) {
      files
          .map(TESTS::relativize)
          .map(Path::toString)
          .filter(file -> file.endsWith(".java"))
          .map(file -> file.replace(".java", "").replace('/', '.'))
          .forEach(name -> classes.put(name.substring(name.lastIndexOf('.') + 1), name));
    }
    return classes;
  }

  private static boolean isTest(String name, String method) throws ClassNotFoundException {
    for (Method each : Class.forName(name).getDeclaredMethods()) {
      if (each.getName().equals(method) && each.isAnnotationPresent(Test.class)) {
        return true;
      }
    }
    return false;
  }
}
