package io.convoke.house;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The arrows between modules and packages, as docs/architecture.md draws them. */
@AnalyzeClasses(packages = "io.convoke", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  private static final String ENGINE = "io.convoke.engine..";
  private static final String AGENT = "io.convoke.agent..";
  private static final String LAB = "io.convoke.lab..";
  private static final String SERVER = "io.convoke.server..";
  private static final String BENCH = "io.convoke.bench..";

  @ArchTest
  static final ArchRule engineStandsAlone =
      noClasses()
          .that()
          .resideInAPackage(ENGINE)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(AGENT, LAB, SERVER, BENCH);

  @ArchTest
  static final ArchRule engineKnowsNoHttp =
      noClasses()
          .that()
          .resideInAPackage(ENGINE)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.helidon..", "java.net.http..");

  @ArchTest
  static final ArchRule agentUsesTheEngineAlone =
      noClasses()
          .that()
          .resideInAPackage(AGENT)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(LAB, SERVER, BENCH);

  @ArchTest
  static final ArchRule labStandsAlone =
      noClasses()
          .that()
          .resideInAPackage(LAB)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(ENGINE, AGENT, SERVER, BENCH);

  @ArchTest
  static final ArchRule onlyOneClassOfTheServerOpensTheLabsStores =
      noClasses()
          .that()
          .resideInAPackage(SERVER)
          .and()
          .doNotHaveFullyQualifiedName("io.convoke.server.cli.EmbeddedStores")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(LAB);

  @ArchTest
  static final ArchRule theSimulatorIsNeverLinkedIntoTheServer =
      noClasses()
          .that()
          .resideInAPackage(SERVER)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.convoke.lab.sim..");

  @ArchTest
  static final ArchRule onlyTheHttpFrameKnowsTheHttpLibrary =
      noClasses()
          .that()
          .resideInAPackage(SERVER)
          .and()
          .resideOutsideOfPackage("io.convoke.server.http..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.helidon..");

  @ArchTest
  static final ArchRule theHttpFrameKnowsNoFeature =
      noClasses()
          .that()
          .resideInAPackage("io.convoke.server.http..")
          .should()
          .dependOnClassesThat(resideInServerOutside("io.convoke.server.http"));

  @ArchTest
  static final ArchRule onlyWhoStartsTheServerReadsTheConfiguration =
      noClasses()
          .that()
          .resideInAPackage(SERVER)
          .and()
          .resideOutsideOfPackages(
              "io.convoke.server",
              "io.convoke.server.cli..",
              "io.convoke.server.config..",
              "io.convoke.server.log..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.convoke.server.config..");

  @ArchTest
  static final ArchRule nobodyAsksTheAppForAnything =
      classes()
          .that()
          .haveFullyQualifiedName("io.convoke.server.App")
          .should()
          .onlyHaveDependentClassesThat()
          .resideInAnyPackage("io.convoke.server", "io.convoke.server.cli..", BENCH);

  @ArchTest
  static final ArchRule enginePackagesHaveNoCycle =
      slices().matching("io.convoke.engine.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule agentPackagesHaveNoCycle =
      slices().matching("io.convoke.agent.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule serverPackagesHaveNoCycle =
      slices().matching("io.convoke.server.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule labPackagesHaveNoCycle =
      slices().matching("io.convoke.lab.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule nothingSleeps =
      noClasses()
          .should()
          .callMethod(Thread.class, "sleep", long.class)
          .orShould()
          .callMethod(Thread.class, "sleep", java.time.Duration.class);

  @ArchTest
  static final ArchRule namesSayWhatAThingIs =
      noClasses().should().haveNameMatching(".*(Manager|Helper|Utils?|Impl)");

  private static DescribedPredicate<JavaClass> resideInServerOutside(String... packages) {
    return DescribedPredicate.describe(
        "are features",
        type -> {
          String name = type.getPackageName();
          if (!name.startsWith("io.convoke.server")) {
            return false;
          }
          for (String allowed : packages) {
            if (name.equals(allowed) || name.startsWith(allowed + ".")) {
              return false;
            }
          }
          return true;
        });
  }
}
