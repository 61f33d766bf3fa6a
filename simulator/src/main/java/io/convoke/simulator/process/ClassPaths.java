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

  /** A folder of classes that come before those of this release. */
  private static final String PATCH = "convoke.patch";

  private static final Pattern MODULE = Pattern.compile("io\\.convoke\\.([a-z]+)\\..+");

  private ClassPaths() {}

  /**
   * The class path of a program. It is the wildcard that {@code ./convoke} uses: the JVM's cache of
   * an earlier start is valid only for the same order of jars.
   */
  static String of(String mainClass) {
    return patched(
        libraries(mainClass)
            .map(folder -> folder.resolve("*").toString())
            .orElseGet(ClassPaths::ours));
  }

  /** Each library of a module, to compile its sources anew. */
  public static String libraries(Path home, Path module) {
    return jars(home.resolve(module).resolve("target").resolve("lib"));
  }

  /** The class path of a program of another release, in its own folder. */
  static String of(Path home, String mainClass) {
    return libraries(home, mainClass).resolve("*").toString();
  }

  /** Each jar and folder of a program's class path, for a command line or for copying. */
  public static String listed(String mainClass) {
    return patched(libraries(mainClass).map(ClassPaths::jars).orElseGet(ClassPaths::ours));
  }

  /**
   * Puts a folder of other classes before those of all programs that are started from now on: a
   * test starts broken programs this way.
   */
  public static void patch(Path folder) {
    String _ = System.setProperty(PATCH, folder.toAbsolutePath().toString());
  }

  /** Starts programs as they are again. */
  public static void unpatch() {
    String _ = System.clearProperty(PATCH);
  }

  /** Whether {@link #patch} is in force. */
  static boolean patched() {
    return System.getProperty(PATCH) != null;
  }

  private static String patched(String classPath) {
    String patch = System.getProperty(PATCH);
    return patch == null ? classPath : patch + File.pathSeparator + classPath;
  }

  /** Whether two programs have the same class path. */
  static boolean same(String mainClass, String other) {
    return of(mainClass).equals(of(other));
  }

  private static Optional<Path> libraries(String mainClass) {
    return Optional.ofNullable(System.getProperty(HOME))
        .map(home -> libraries(Path.of(home), mainClass));
  }

  private static Path libraries(Path home, String mainClass) {
    return home.resolve(module(mainClass)).resolve("target").resolve("lib");
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
