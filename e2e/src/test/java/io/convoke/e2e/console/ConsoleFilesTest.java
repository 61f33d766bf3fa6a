package io.convoke.e2e.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.http.listener.AssetMinifier;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/**
 * Static checks of the console's files: small, complete, without external resources, compatible
 * with the CSP.
 */
class ConsoleFilesTest {
  private static final int BYTES_MAX = 160 * 1024;
  private static final int JOIN_BYTES_MAX = 12 * 1024;
  private static final Path CONSOLE =
      Path.of("..", "server", "src", "main", "resources", "console");
  private static final Path TEST_VENDOR = Path.of("src", "test", "resources", "vendor");

  /** Namespaces and examples name a host without ever asking it. */
  private static final Pattern ELSEWHERE =
      Pattern.compile(
          "(?:https?:)?//(?!www\\.w3\\.org/|127\\.0\\.0\\.1)[a-z0-9-]+(?:\\.[a-z0-9-]+)+");

  private static final Pattern IMPORTS = Pattern.compile("import \\{([^}]*)\\} from '(\\.[^']+)'");

  private static final Pattern AGAINST_CSP =
      Pattern.compile(
          "\\seval\\(|new Function\\(|\\son[a-z]+=\"|javascript:"
              + "|style=\"|<style|innerHTML|outerHTML");

  @Test
  void everyVendoredFileMatchesItsChecksum() throws Exception {
    List<Path> listed = checked(CONSOLE.resolve("vendor"));
    assertThat(files(CONSOLE.resolve("vendor")).filter(ConsoleFilesTest::isServed))
        .isNotEmpty()
        .isSubsetOf(listed);
    assertThat(checked(TEST_VENDOR)).contains(TEST_VENDOR.resolve("axe.min.js"));
  }

  @Test
  void theWholeConsoleIsSmall() {
    int total = packed(false);
    System.out.println("the console is " + total / 1024 + " KiB compressed");
    assertThat(total).isBetween(10_000, BYTES_MAX);
  }

  /** People who join a room load its page and nothing of the console. */
  @Test
  void thePageToJoinIsSmall() {
    int total = packed(true);
    System.out.println("the page to join is " + total / 1024 + " KiB compressed");
    assertThat(total).isBetween(1_000, JOIN_BYTES_MAX);
  }

  private static int packed(boolean toJoin) {
    return files(CONSOLE)
        .filter(ConsoleFilesTest::isServed)
        .filter(file -> file.getFileName().toString().startsWith("join.") == toJoin)
        .mapToInt(ConsoleFilesTest::packed)
        .sum();
  }

  /** An import that does not exist breaks the whole page. */
  @Test
  void everyImportIsExportedByItsModule() {
    List<String> missing =
        ours()
            .flatMap(
                file ->
                    IMPORTS
                        .matcher(code(file))
                        .results()
                        .filter(each -> !exports(file.resolveSibling(each.group(2)), each.group(1)))
                        .map(each -> CONSOLE.relativize(file) + ": " + each.group()))
            .toList();
    assertThat(missing).isEmpty();
  }

  private static boolean exports(Path module, String names) {
    Path file = module.normalize();
    if (!Files.isRegularFile(file)) {
      return false;
    }
    String code = text(file);
    return file.startsWith(CONSOLE.resolve("vendor").normalize())
        || Stream.of(names.split(","))
            .map(name -> name.strip().split(" ", 2)[0])
            .filter(name -> !name.isEmpty())
            .allMatch(
                name ->
                    Pattern.compile(
                            "export (?:(?:async )?function\\*?|const|let|class) "
                                + name
                                + "\\b|export \\{[^}]*\\b"
                                + name
                                + "\\b")
                        .matcher(code)
                        .find());
  }

  @Test
  void nothingIsLoadedFromElsewhere() {
    assertThat(ours().filter(file -> finds(ELSEWHERE, code(file)))).isEmpty();
    assertThat(text(CONSOLE.resolve("index.html"))).doesNotContainPattern("(src|href)=\"[^/]");
  }

  @Test
  void nothingNeedsMoreThanTheContentSecurityPolicyAllows() {
    assertThat(ours().filter(file -> finds(AGAINST_CSP, code(file)))).isEmpty();
    assertThat(text(CONSOLE.resolve("index.html"))).doesNotContainPattern("<script(?![^>]* src=)");
  }

  /** The files of a CHECKSUMS file, each with the listed checksum. */
  private static List<Path> checked(Path folder) throws Exception {
    for (String line : Files.readAllLines(folder.resolve("CHECKSUMS"))) {
      String[] parts = line.split(" +", 2);
      byte[] bytes = Files.readAllBytes(folder.resolve(parts[1]));
      String hash = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
      assertThat(hash).as(parts[1]).isEqualTo(parts[0]);
    }
    return Files.readAllLines(folder.resolve("CHECKSUMS")).stream()
        .map(line -> folder.resolve(line.split(" +", 2)[1]))
        .toList();
  }

  private static Stream<Path> ours() {
    return files(CONSOLE)
        .filter(ConsoleFilesTest::isServed)
        .filter(file -> !file.startsWith(CONSOLE.resolve("vendor")));
  }

  private static boolean isServed(Path file) {
    return Stream.of(".html", ".js", ".css", ".svg").anyMatch(file.toString()::endsWith);
  }

  /** The file without its comment lines, which may name anything. */
  private static String code(Path file) {
    return text(file)
        .lines()
        .filter(line -> !line.strip().startsWith("//"))
        .reduce("", (a, b) -> a + "\n" + b);
  }

  private static boolean finds(Pattern pattern, String text) {
    return pattern.matcher(text).find();
  }

  /** The size after compression. */
  private static int packed(Path file) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(packed)) {
      String path = "/" + CONSOLE.relativize(file).toString().replace('\\', '/');
      out.write(AssetMinifier.of(path, text(file)).getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return packed.size();
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<Path> files(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
