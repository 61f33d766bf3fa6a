package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/reference/errors.md lists each code that the sources answer with, and its status. */
class DocumentedProblemsTest {
  private static final Path HOME =
      Path.of(System.getProperty("convoke.home", "..")).toAbsolutePath().normalize();

  /** A code that begins a longer one, such as {@code "task_" + state}, has a plus behind it. */
  private static final Pattern MADE =
      Pattern.compile(
          "(?:Problem\\.|new |\\s)(of|conflict|gone|unprocessable|tooMany|Problem)\\("
              + "\\s*(?:(\\d{3}|status),\\s*)?\"([a-z_]+)\"(\\s*\\+)?");

  private static final Pattern OF_A_FIELD =
      Pattern.compile("Problem\\.badRequest\\(\\s*\"([a-z_]+)\",\\s*\"[a-z_.]+\",\\s*\"");
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `(\\w+)` \\| (\\d{3}(?:, \\d{3})*) \\| [A-Z]");
  private static final Map<String, String> STATUSES =
      Map.of("conflict", "409", "gone", "410", "unprocessable", "422", "tooMany", "429");

  private static Map<String, Set<String>> made() throws IOException {
    Map<String, Set<String>> made = new TreeMap<>();
    for (Path file : sources()) {
      String source = Files.readString(file);
      Matcher found = MADE.matcher(source);
      while (found.find()) {
        String kind = found.group(1);
        String status = STATUSES.getOrDefault(kind, String.valueOf(found.group(2)));
        if (!status.equals("null")) {
          String code = found.group(3) + (found.group(4) == null ? "" : "*");
          add(made, code, status.equals("status") ? "400" : status);
        }
      }
      OF_A_FIELD.matcher(source).results().forEach(match -> add(made, match.group(1), "400"));
    }
    return made;
  }

  private static void add(Map<String, Set<String>> codes, String code, String status) {
    boolean _ = codes.computeIfAbsent(code, _ -> new TreeSet<>()).add(status);
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(HOME.resolve("server/src/main/java"))) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> !file.endsWith("OpenApi.java"))
          .toList();
    }
  }

  @Test
  void theListHasEachCodeWithItsStatusAndNoOther() throws IOException {
    Map<String, Set<String>> listed = new TreeMap<>();
    String page = Files.readString(HOME.resolve("docs/reference/errors.md"));
    ROW.matcher(page)
        .results()
        .forEach(
            row -> {
              String code = row.group(1).replaceFirst("(STATUS|STATE)$", "*");
              Stream.of(row.group(2).split(", ", -1)).forEach(it -> add(listed, code, it));
            });
    assertThat(listed).hasSizeGreaterThan(60).isEqualTo(made());
  }
}
