package io.convoke.e2e.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The sources of this project in another folder, for tests that build them: a build empties the
 * folders that programs of other tests run from.
 */
public final class ProjectCopy {
  private ProjectCopy() {}

  /** Which files are copied. */
  public interface Wanted {
    boolean test(Path relative);
  }

  /** How a program ended, and what it printed. */
  public record Result(int code, String output) {}

  /** The folder of the project. */
  public static Path home() {
    return SourcesTest.home();
  }

  /** Copies what a build of the main code needs into a new folder, and returns it. */
  static Path in(Path folder) throws IOException {
    Path home = SourcesTest.home();
    copy(home, folder, path -> path.startsWith(".mvn") || path.getNameCount() == 1);
    try (Stream<Path> modules = Files.list(home)) {
      for (Path module : modules.filter(it -> Files.exists(it.resolve("pom.xml"))).toList()) {
        copy(
            module,
            folder.resolve(home.relativize(module)),
            path -> path.startsWith("src/main") || path.endsWith("pom.xml"));
      }
    }
    return folder;
  }

  /** Copies the files that are wanted. */
  public static void copy(Path from, Path to, Wanted wanted) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path relative = from.relativize(file);
        if (wanted.test(relative)) {
          Path target = to.resolve(relative);
          Path _ = Files.createDirectories(target.getParent());
          Path _ = Files.copy(file, target, StandardCopyOption.COPY_ATTRIBUTES);
        }
      }
    }
  }

  /** Runs a program that must succeed; returns its output. */
  public static String run(Path where, Map<String, String> environment, String... command)
      throws IOException, InterruptedException {
    Result result = start(where, environment, command);
    assertThat(result.code()).as(result.output()).isZero();
    return result.output();
  }

  /** Runs a program to its end, within ten minutes. */
  public static Result start(Path where, Map<String, String> environment, String... command)
      throws IOException, InterruptedException {
    Path output = Files.createTempFile("convoke-command", ".log");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(where.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      assertThat(process.waitFor(10, TimeUnit.MINUTES)).as("%s ends", List.of(command)).isTrue();
      return new Result(process.exitValue(), Files.readString(output));
    } finally {
      var _ = process.destroyForcibly();
      Files.delete(output);
    }
  }
}
