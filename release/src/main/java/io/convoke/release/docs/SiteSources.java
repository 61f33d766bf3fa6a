package io.convoke.release.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/** The files of the repository that the site is made of, and where each of them is in the site. */
final class SiteSources {
  private static final Set<String> AS_THEY_ARE = Set.of("json", "png", "svg", "jpg", "webp");
  private static final String DOCS = "docs/";
  private static final String ELSEWHERE = "repository/";

  private final Path home;

  SiteSources(Path home) {
    this.home = home;
  }

  /** The Markdown pages under {@code docs} and those at the root, by path in the repository. */
  List<String> pages() throws IOException {
    List<String> pages = new ArrayList<>();
    try (Stream<Path> files = Files.list(home)) {
      files.map(this::name).filter(SiteSources::isPage).sorted().forEach(pages::add);
    }
    try (Stream<Path> files = Files.walk(home.resolve("docs"))) {
      files.map(this::name).filter(SiteSources::isPage).sorted().forEach(pages::add);
    }
    return pages;
  }

  /** The path of a file in the repository, with slashes. */
  private String name(Path file) {
    return home.relativize(file).toString().replace('\\', '/');
  }

  static boolean isPage(String source) {
    return source.endsWith(".md");
  }

  boolean exists(String source) {
    return Files.exists(home.resolve(source));
  }

  boolean isFolder(String source) {
    return Files.isDirectory(home.resolve(source));
  }

  String text(String source) throws IOException {
    return Files.readString(home.resolve(source));
  }

  byte[] bytes(String source) throws IOException {
    return Files.readAllBytes(home.resolve(source));
  }

  /** The names in a folder, in order. */
  List<String> names(String folder) throws IOException {
    try (Stream<Path> files = Files.list(home.resolve(folder))) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  /** Where a file or folder of the repository is in the site. */
  String place(String source) {
    String path = source.startsWith(DOCS) ? source.substring(DOCS.length()) : ELSEWHERE + source;
    if (isFolder(source)) {
      return path + "/files.html";
    }
    if (isPage(source)) {
      String page = path.substring(0, path.length() - ".md".length());
      return page.endsWith("README")
          ? page.substring(0, page.length() - "README".length()) + "index.html"
          : page + ".html";
    }
    String ending = path.substring(path.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    return AS_THEY_ARE.contains(ending) ? path : path + ".txt";
  }
}
