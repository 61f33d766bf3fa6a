package io.convoke.release;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A jar that a program runs with, as Maven resolved it. */
record Library(String group, String artifact, String version, Path jar) {
  /** A line of {@code mvn dependency:list}; a classifier stands between type and version. */
  private static final Pattern LINE =
      Pattern.compile(
          "\\s+([^:\\s]+):([^:]+):jar:(?:[^:]+:)?([^:]+):(?:compile|runtime):(.+?\\.jar)(?: .*)?");

  /**
   * The libraries of a product, in the order of their jars' names.
   *
   * @throws IOException if the build left no list, or one without a library
   */
  static List<Library> of(Path home, Product product) throws IOException {
    Path list = home.resolve("release").resolve(product.name()).resolve("target/tree.list");
    List<Library> found =
        Files.readAllLines(list).stream()
            .map(LINE::matcher)
            .filter(Matcher::matches)
            .map(it -> new Library(it.group(1), it.group(2), it.group(3), Path.of(it.group(4))))
            .sorted(Comparator.comparing(Library::fileName))
            .toList();
    if (found.isEmpty()) {
      throw new IOException(list + " names no library");
    }
    return found;
  }

  String fileName() {
    return jar.getFileName().toString();
  }

  /** Its address as a package, see the package-url specification. */
  String purl() {
    return "pkg:maven/" + group + "/" + artifact + "@" + version + "?type=jar";
  }
}
