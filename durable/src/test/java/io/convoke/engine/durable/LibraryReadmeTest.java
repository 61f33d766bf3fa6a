package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.simulator.stores.LocalStores;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The stranger's test: the one class of the library's README, as it stands there, compiled and run
 * in an empty folder against the library's jar and what its pom declares for those who use it.
 */
class LibraryReadmeTest {
  private static final int LINES_MAX = 20;
  private static final Pattern CODE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  @TempDir Path folder;

  @Tag("nightly")
  @Test
  void theReadmesClassRunsWithTheLibraryAlone() throws Exception {
    Matcher readme = CODE.matcher(Files.readString(Path.of("README.md")));
    assertThat(readme.find()).isTrue();
    String code = readme.group(1);
    assertThat(
            code.lines()
                .filter(line -> !line.startsWith("import "))
                .filter(line -> !line.isBlank()))
        .hasSizeLessThanOrEqualTo(LINES_MAX);
    Files.writeString(folder.resolve("Hello.java"), code);
    run(
        "jar",
        "--create",
        "--file",
        "engine.jar",
        "-C",
        Path.of("target/classes").toAbsolutePath().toString(),
        ".");
    String path =
        "engine.jar"
            + File.pathSeparator
            + Files.readString(Path.of("target/library.classpath")).strip();
    assertThat(path).doesNotContain("convoke-simulator", "lettuce", "logback", "junit");
    run("javac", "-cp", path, "Hello.java");
    String printed =
        run(
            "java",
            "-cp",
            path + File.pathSeparator + ".",
            "Hello",
            LocalStores.forTests().freshDatabase());
    assertThat(printed).isEqualTo("Hello World, a second later\n");
  }

  /** Standard output; with a tool's complaints it fails. */
  private String run(String tool, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", tool).toString());
    command.addAll(List.of(arguments));
    Path complaints = folder.resolve(tool + ".err");
    Path output = folder.resolve(tool + ".out");
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectError(complaints.toFile())
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(tool + " has ended").isTrue();
    } finally {
      var _ = process.destroyForcibly();
    }
    assertThat(process.exitValue()).as(Files.readString(complaints)).isZero();
    return Files.readString(output, StandardCharsets.UTF_8);
  }
}
