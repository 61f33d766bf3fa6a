package io.convoke.e2e.build;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.simulator.stores.LocalStores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code ./convoke publish} and the projects in {@code examples/}, each as a user has it: in a
 * folder of its own, with an empty local repository, against what was published. The copy of the
 * sources is there because a build empties the folders that programs of other tests run from.
 */
@Tag("nightly")
@Tag("heavy")
@Timeout(900)
final class PublishedLibrariesTest {
  private static final Path HOME = SourcesTest.home();
  private static final List<String> LIBRARIES =
      List.of("convoke-durable", "convoke-dispatch", "convoke-agent", "convoke-client");

  private static final Pattern VERSION =
      Pattern.compile("<artifactId>convoke</artifactId>\\s*<version>([^<]+)<");

  @TempDir private static Path folder;

  @BeforeAll
  @Timeout(900)
  static void publish() throws Exception {
    Path copy = ProjectCopy.in(folder.resolve("convoke"));
    ProjectCopy.run(
        copy, Map.of(), "./convoke", "publish", folder.resolve("repository").toString());
  }

  @Test
  void everyLibraryIsThereWithSourcesJavadocAndPom() throws IOException {
    for (String library : LIBRARIES) {
      try (Stream<Path> files =
          Files.walk(folder.resolve("repository/io/convoke").resolve(library))) {
        List<String> names =
            files
                .map(file -> file.getFileName().toString())
                .map(
                    name ->
                        name.replaceFirst(
                            "^" + library + "-[0-9][0-9.]*(-[0-9A-Z.-]*[0-9A-Z])?", ""))
                .toList();
        assertThat(names).contains(".pom", ".jar", "-sources.jar", "-javadoc.jar");
      }
    }
    try (Stream<Path> published = Files.list(folder.resolve("repository/io/convoke"))) {
      assertThat(published.map(it -> it.getFileName().toString()))
          .containsExactlyInAnyOrder(
              "convoke", "convoke-durable", "convoke-dispatch", "convoke-agent", "convoke-client");
    }
  }

  @Test
  void aVersionThatLacksAPublicMethodOfAnEarlierOneIsNotPublished() throws Exception {
    Path copy = folder.resolve("convoke");
    String version = versionOf(copy.resolve("pom.xml"));
    String later = "later-" + version;
    try (Stream<Path> poms = Files.walk(copy, 3)) {
      for (Path pom : poms.filter(it -> it.endsWith("pom.xml")).toList()) {
        replace(pom, version, later);
      }
    }
    replace(
        copy.resolve("durable/src/main/java/io/convoke/engine/durable/Durable.java"),
        "  public boolean unschedule(",
        "  boolean unschedule(");
    ProjectCopy.Result refused =
        ProjectCopy.start(
            copy,
            Map.of(),
            "./convoke",
            "publish",
            "--since",
            version,
            folder.resolve("repository").toString());
    assertThat(refused.code()).isNotZero();
    assertThat(refused.output()).contains("Durable.unschedule", "nothing was published");
    assertThat(folder.resolve("repository/io/convoke/convoke-durable").resolve(later))
        .doesNotExist();
  }

  private static String versionOf(Path pom) throws IOException {
    Matcher version = VERSION.matcher(Files.readString(pom));
    assertThat(version.find()).isTrue();
    return version.group(1);
  }

  private static void replace(Path file, String text, String other) throws IOException {
    String before = Files.readString(file);
    assertThat(before).contains(text);
    Path _ = Files.writeString(file, before.replace(text, other));
  }

  @Test
  void aProjectWithOneClassBuildsAgainstThem() throws Exception {
    verify("first-workflow");
  }

  @Test
  void anApplicationEnqueuesInTheTransactionsOfItsFramework() throws Exception {
    verify("transactions");
  }

  @Test
  void aProgramBuildsAgainstTheClient() throws Exception {
    Path project = folder.resolve("java-client");
    ProjectCopy.copy(
        HOME.resolve("examples/java-client"), project, path -> !path.startsWith("target"));
    ProjectCopy.run(
        project,
        Map.of(),
        "mvn",
        "-B",
        "-ntp",
        "-q",
        "package",
        "-Dmaven.repo.local=" + folder.resolve("local"),
        "-Dconvoke.repository=" + folder.resolve("repository").toUri());
    assertThat(project.resolve("target/java-client-1.0.jar")).exists();
  }

  private static void verify(String example) throws Exception {
    Path project = folder.resolve(example);
    ProjectCopy.copy(
        HOME.resolve("examples").resolve(example), project, path -> !path.startsWith("target"));
    String url = LocalStores.forTests().freshDatabase();
    DatabaseUrl parsed = DatabaseUrl.parse(url);
    ProjectCopy.run(
        project,
        Map.of(
            "DATABASE_URL",
            url,
            "JDBC_DATABASE_URL",
            "%s?user=%s&password=%s".formatted(parsed.jdbc(), parsed.user(), parsed.password())),
        "mvn",
        "-B",
        "-ntp",
        "-q",
        "verify",
        "-Dmaven.repo.local=" + folder.resolve("local"),
        "-Dconvoke.repository=" + folder.resolve("repository").toUri());
    try (Stream<Path> reports = Files.list(project.resolve("target/surefire-reports"))) {
      assertThat(reports.map(Path::toString)).anyMatch(name -> name.endsWith(".xml"));
    }
  }
}
