package io.convoke.engine;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.core.importer.ImportOption.OnlyIncludeTests;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** What the build holds the engine to, beyond what the compiler does. */
class EngineRulesTest {
  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(new DoNotIncludeTests())
          .importPackages("io.convoke.engine");
  private static final JavaClasses TESTS =
      new ClassFileImporter()
          .withImportOption(new OnlyIncludeTests())
          .importPackages("io.convoke.engine");

  @Test
  void packagesDependOnEachOtherInOneDirection() {
    slices().matching("io.convoke.engine.(*)..").should().beFreeOfCycles().check(MAIN);
  }

  @Test
  void theEngineNeedsNoOtherModuleAndNoHttp() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.convoke.agent..",
            "io.convoke.bench..",
            "io.convoke.simulator..",
            "io.convoke.server..",
            "com.sun.net.httpserver..",
            "io.helidon..",
            "java.net.http..",
            "jakarta.servlet..")
        .check(MAIN);
  }

  @Test
  void nothingSleeps() {
    for (JavaClasses classes : List.of(MAIN, TESTS)) {
      noClasses()
          .should()
          .callMethod(Thread.class, "sleep", long.class)
          .orShould()
          .callMethod(Thread.class, "sleep", long.class, int.class)
          .orShould()
          .callMethod(Thread.class, "sleep", java.time.Duration.class)
          .orShould()
          .callMethod(TimeUnit.class, "sleep", long.class)
          .check(classes);
    }
  }

  @Test
  void everyPackageSaysWhatItOwnsAndIsNullMarked() {
    List<JavaPackage> packages =
        Stream.concat(
                MAIN.getPackage("io.convoke.engine").getSubpackagesInTree().stream(),
                Stream.of(MAIN.getPackage("io.convoke.engine")))
            .toList();
    assertThat(packages).hasSizeGreaterThan(7);
    assertThat(packages)
        .allMatch(each -> each.tryGetAnnotationOfType(NullMarked.class).isPresent(), "NullMarked");
  }

  @Test
  void namesSayWhatAThingIs() {
    classes()
        .should()
        .haveNameNotMatching(".*(Manager|Helper|Util|Utils|Impl)(\\$.*)?")
        .check(MAIN);
  }
}
