package io.convoke.e2e.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The sources of this project in another folder, for tests that build them: a build empties the
 * folders that programs of other tests run from.
 */
public final class ProjectCopy {
  private static final Set<String> LEFT =
      Set.of("target", ".git", "node_modules", ".convoke", ".idea", ".vscode");

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

  /** Copies the project without what builds and tools left in it, and returns the copy. */
  static Path in(Path folder) throws IOException {
    Path home = SourcesTest.home();
    Path _ =
        Files.walkFileTree(
            home,
            new SimpleFileVisitor<>() {
              @Override
              public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) {
                return LEFT.contains(path.getFileName().toString())
                    ? FileVisitResult.SKIP_SUBTREE
                    : FileVisitResult.CONTINUE;
              }

              @Override
              public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                  throws IOException {
                if (!LEFT.contains(file.getFileName().toString())) {
                  Path target = folder.resolve(home.relativize(file).toString());
                  Path _ = Files.createDirectories(target.getParent());
                  Path _ = Files.copy(file, target, StandardCopyOption.COPY_ATTRIBUTES);
                }
                return FileVisitResult.CONTINUE;
              }
            });
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
      // Scripts start Maven, which would go on without them.
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      var _ = process.destroyForcibly();
      Files.delete(output);
    }
  }
}
