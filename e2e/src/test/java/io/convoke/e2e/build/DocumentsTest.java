package io.convoke.e2e.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks the Markdown pages: links have targets, the index leads to all, named classes exist. */
class DocumentsTest {
  private static final Path HOME = SourcesTest.home();
  private static final Path INDEX = HOME.resolve("docs/README.md");
  private static final Pattern BUILT = Pattern.compile("(^|/)(target|node_modules)/");
  private static final Pattern CODE_BLOCK =
      Pattern.compile("^```.*?^```", Pattern.DOTALL | Pattern.MULTILINE);
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern CLASS_OR_SCRIPT =
      Pattern.compile("`([A-Z][a-z]\\w*|\\w+\\.lua)(?:\\.[a-z]\\w*)?`");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} (.+)$");

  @Test
  void everyLinkHasATarget() {
    List<String> broken = new ArrayList<>();
    for (Path page : pages()) {
      for (String link : links(page)) {
        if (!hasTarget(page, link)) {
          broken.add(HOME.relativize(page) + " -> " + link);
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void everyPageIsReachableFromTheIndex() {
    Set<Path> reached = new HashSet<>(Set.of(INDEX));
    Deque<Path> next = new ArrayDeque<>(reached);
    while (!next.isEmpty()) {
      Path page = next.remove();
      for (String link : links(page)) {
        Path target = page.resolveSibling(link.split("#", 2)[0]).normalize();
        if (link.contains(".md") && Files.exists(target) && reached.add(target)) {
          next.add(target);
        }
      }
    }
    List<Path> documents =
        pages().stream().filter(page -> page.startsWith(HOME.resolve("docs"))).toList();
    assertThat(documents).isNotEmpty().isSubsetOf(reached);
  }

  /** The four walks of docs/architecture.md name classes and scripts of today. */
  @Test
  void theWalksNameClassesThatExist() {
    String map = text(HOME.resolve("docs/architecture.md"));
    String walks = map.substring(map.indexOf("## The four walks"), map.indexOf("## The journal"));
    Set<String> named =
        CLASS_OR_SCRIPT
            .matcher(walks)
            .results()
            .map(match -> match.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(named).hasSizeGreaterThan(30);
    files(Pattern.compile(".*/src/main/.*\\.(java|lua)"))
        .map(file -> file.getFileName().toString().replace(".java", ""))
        .forEach(named::remove);
    assertThat(named).as("names without a file").isEmpty();
  }

  private static boolean hasTarget(Path page, String link) {
    if (link.contains("://")) {
      return true;
    }
    String[] parts = link.split("#", 2);
    Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
    return Files.exists(target) && (parts.length == 1 || anchors(target).contains(parts[1]));
  }

  private static List<String> links(Path page) {
    return LINK.matcher(CODE_BLOCK.matcher(text(page)).replaceAll(""))
        .results()
        .map(match -> match.group(1))
        .toList();
  }

  /** The anchors that GitHub makes of headings. */
  private static Set<String> anchors(Path page) {
    return HEADING
        .matcher(CODE_BLOCK.matcher(text(page)).replaceAll(""))
        .results()
        .map(DocumentsTest::anchor)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String anchor(MatchResult heading) {
    return heading
        .group(1)
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{N} _-]", "")
        .replace(' ', '-');
  }

  private static List<Path> pages() {
    return files(Pattern.compile(".*\\.md")).toList();
  }

  /** The files of the repository with a matching path, without build output and npm modules. */
  private static Stream<Path> files(Pattern path) {
    try (Stream<Path> files = Files.walk(HOME)) {
      return files
          .filter(file -> path.matcher(file.toString()).matches())
          .filter(file -> !BUILT.matcher(HOME.relativize(file).toString()).find())
          .sorted()
          .toList()
          .stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(Path page) {
    try {
      return Files.readString(page);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
