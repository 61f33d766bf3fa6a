package io.convoke.e2e.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Builds a project of {@code examples/} by Maven against the libraries that this test runs with.
 * Its local repository shows all that the user's has, by links, so that what a first build
 * downloads is there for the next one; our libraries are in it alone.
 */
public final class ExampleBuild {
  private static final Path HOME = SourcesTest.home();
  private static final Pattern VERSION =
      Pattern.compile("<artifactId>convoke</artifactId>\\s*<version>([^<]+)<");

  private ExampleBuild() {}

  /**
   * Copies an example into a folder and packages it there, without a network if it can.
   *
   * @param libraries modules, and a class of each
   */
  public static void packaged(String example, Path project, Map<String, Class<?>> libraries)
      throws IOException, InterruptedException, URISyntaxException {
    ProjectCopy.copy(
        HOME.resolve("examples").resolve(example), project, path -> !path.startsWith("target"));
    Path local = Files.createDirectories(project.resolve("local/io/convoke"));
    link(user(), project.resolve("local"), "io");
    link(user().resolve("io"), project.resolve("local/io"), "convoke");
    Matcher version = VERSION.matcher(Files.readString(HOME.resolve("pom.xml")));
    assertThat(version.find()).isTrue();
    install(local, "convoke", version.group(1), HOME.resolve("pom.xml"), "pom");
    for (Map.Entry<String, Class<?>> library : libraries.entrySet()) {
      String name = "convoke-" + library.getKey();
      install(
          local, name, version.group(1), HOME.resolve(library.getKey()).resolve("pom.xml"), "pom");
      Path jar =
          Path.of(library.getValue().getProtectionDomain().getCodeSource().getLocation().toURI());
      install(local, name, version.group(1), jar, "jar");
    }
    try {
      ProjectCopy.Result offline = ProjectCopy.start(project, Map.of(), command(project, "-o"));
      if (offline.code() != 0) {
        String _ = ProjectCopy.run(project, Map.of(), command(project, "-U"));
      }
    } finally {
      unlink(project.resolve("local"));
      unlink(project.resolve("local/io"));
    }
  }

  private static void unlink(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      for (Path entry : entries.filter(Files::isSymbolicLink).toList()) {
        Files.delete(entry);
      }
    }
  }

  private static String[] command(Path project, String how) {
    return List.of(
            "mvn",
            how,
            "-B",
            "-ntp",
            "-q",
            "package",
            "-Dmaven.repo.local=" + project.resolve("local"))
        .toArray(String[]::new);
  }

  private static Path user() {
    return Path.of(System.getProperty("user.home"), ".m2", "repository");
  }

  /** Links everything in a folder but one. */
  private static void link(Path from, Path to, String but) throws IOException {
    if (!Files.isDirectory(from)) {
      return;
    }
    try (Stream<Path> entries = Files.list(from)) {
      for (Path entry : entries.toList()) {
        if (!entry.getFileName().toString().equals(but)) {
          Path _ = Files.createSymbolicLink(to.resolve(entry.getFileName()), entry);
        }
      }
    }
  }

  private static void install(Path local, String name, String version, Path file, String kind)
      throws IOException, InterruptedException {
    Path folder = Files.createDirectories(local.resolve(name).resolve(version));
    Path target = folder.resolve(name + "-" + version + "." + kind);
    if (Files.isRegularFile(file)) {
      Path _ = Files.copy(file, target);
    } else {
      String _ =
          ProjectCopy.run(
              folder,
              Map.of(),
              Path.of(System.getProperty("java.home"), "bin", "jar").toString(),
              "--create",
              "--file",
              target.toString(),
              "-C",
              file.toString(),
              ".");
    }
  }
}
