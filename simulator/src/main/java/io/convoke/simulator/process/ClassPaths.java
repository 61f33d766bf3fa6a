package io.convoke.simulator.process;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The class paths of Convoke's programs: each runs with the libraries of its own module, so that a
 * server of the demo or of chaos is the one that a user runs. In tests all modules share one class
 * path.
 */
public final class ClassPaths {
  /** The folder of {@code ./convoke}, which sets it. */
  private static final String HOME = "convoke.home";

  private static final Pattern MODULE = Pattern.compile("io\\.convoke\\.([a-z]+)\\..+");

  private ClassPaths() {}

  /**
   * The class path of a program. It is the wildcard that {@code ./convoke} uses: the JVM's cache of
   * an earlier start is valid only for the same order of jars.
   */
  static String of(String mainClass) {
    return libraries(mainClass)
        .map(folder -> folder.resolve("*").toString())
        .orElseGet(ClassPaths::ours);
  }

  /** Each jar and folder of a program's class path, for a command line or for copying. */
  public static String listed(String mainClass) {
    return libraries(mainClass).map(ClassPaths::jars).orElseGet(ClassPaths::ours);
  }

  /** Whether two programs have the same class path. */
  static boolean same(String mainClass, String other) {
    return of(mainClass).equals(of(other));
  }

  private static Optional<Path> libraries(String mainClass) {
    return Optional.ofNullable(System.getProperty(HOME))
        .map(home -> Path.of(home, module(mainClass), "target", "lib"));
  }

  private static String module(String mainClass) {
    Matcher matcher = MODULE.matcher(mainClass);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(mainClass + " is in none of our modules");
    }
    return matcher.group(1);
  }

  private static String jars(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(Path::toString)
          .filter(name -> name.endsWith(".jar"))
          .sorted()
          .collect(Collectors.joining(File.pathSeparator));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list the libraries in " + folder, e);
    }
  }

  private static String ours() {
    return System.getProperty("java.class.path");
  }
}
