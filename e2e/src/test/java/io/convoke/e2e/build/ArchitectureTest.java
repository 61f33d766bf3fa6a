package io.convoke.e2e.build;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.net.http.HttpClient;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The arrows between modules and packages, as docs/architecture.md draws them. */
@AnalyzeClasses(packages = "io.convoke", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  private static final String CLIENT = "client";
  private static final String DURABLE = "durable";
  private static final String DISPATCH = "dispatch";
  private static final String SERVER = "io.convoke.server..";

  /** The modules that each module may use; a package belongs to the module of its sources. */
  private static final Map<String, Set<String>> ARROWS =
      Map.ofEntries(
          Map.entry("simulator", Set.of()),
          Map.entry(DURABLE, Set.of()),
          Map.entry(DISPATCH, Set.of(DURABLE)),
          Map.entry("agent", Set.of(DISPATCH, DURABLE)),
          Map.entry(CLIENT, Set.of()),
          Map.entry("cli", Set.of(CLIENT)),
          Map.entry("fakes", Set.of("simulator")),
          Map.entry("server", Set.of("agent", DISPATCH, DURABLE, "simulator")),
          Map.entry("demo", Set.of("fakes", "simulator")),
          Map.entry("chaos", Set.of("agent", DISPATCH, DURABLE, "fakes", "simulator")),
          Map.entry(
              "bench", Set.of("agent", "chaos", DISPATCH, DURABLE, "fakes", "server", "simulator")),
          Map.entry("gate", Set.of()));

  @ArchTest
  static void modulesUseEachOtherInOneDirection(JavaClasses classes) {
    Set<String> wrong = new TreeSet<>();
    for (JavaClass type : classes) {
      String module = moduleOf(type);
      Set<String> allowed = ARROWS.get(module);
      assertThat(allowed).as(type.getName()).isNotNull();
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        JavaClass target = dependency.getTargetClass();
        if (target.getPackageName().startsWith("io.convoke")
            && !moduleOf(target).equals(module)
            && !requireNonNull(allowed).contains(moduleOf(target))) {
          wrong.add(type.getName() + " -> " + target.getName());
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  @ArchTest
  static final ArchRule theLibrariesKnowNoHttp =
      noClasses()
          .that()
          .resideInAPackage("io.convoke.engine..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.helidon..", "java.net.http..");

  @ArchTest
  static final ArchRule workflowsKnowNoRedis =
      noClasses()
          .that()
          .resideInAnyPackage(
              "io.convoke.engine.durable..",
              "io.convoke.engine.journal..",
              "io.convoke.engine.sql..",
              "io.convoke.engine.wake..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.lettuce..");

  @ArchTest
  static final ArchRule onlyOneClassOfTheServerOpensEmbeddedStores =
      noClasses()
          .that()
          .resideInAPackage(SERVER)
          .and()
          .doNotHaveFullyQualifiedName("io.convoke.server.cli.EmbeddedStores")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.convoke.simulator..");

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
          .dependOnClassesThat(
              resideInServerOutside("io.convoke.server.http", "io.convoke.server.trace"));

  @ArchTest
  static final ArchRule httpDescriptorsUseNoPartOfTheHttpFrame =
      noClasses()
          .that()
          .resideInAPackage("io.convoke.server.http")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.convoke.server.http.*..");

  @ArchTest
  static final ArchRule partsOfTheHttpFrameHaveNoCycle =
      slices().matching("io.convoke.server.http.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule featuresUseNoListener =
      noClasses()
          .that()
          .resideInAPackage(SERVER)
          .and()
          .resideOutsideOfPackages(
              "io.convoke.server", "io.convoke.server.cli..", "io.convoke.server.http.listener..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.convoke.server.http.listener..");

  @ArchTest
  static final ArchRule onlyAppAndConfigsReadTheConfiguration =
      noClasses()
          .that()
          .resideInAPackage(SERVER)
          .and()
          .resideOutsideOfPackages(
              "io.convoke.server",
              "io.convoke.server.cli..",
              "io.convoke.server.config..",
              "io.convoke.server.log..")
          .and()
          .haveNameNotMatching(".*(Config|BotImage)(\\$\\d+)?")
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
          .resideInAnyPackage("io.convoke.server", "io.convoke.server.cli..", "io.convoke.bench..");

  @ArchTest
  static final ArchRule oneClassSetsUpHttpClients =
      noClasses()
          .that()
          .resideInAnyPackage(SERVER, "io.convoke.agent..")
          .and()
          .doNotHaveFullyQualifiedName("io.convoke.agent.http.HttpClientFactory")
          .should()
          .callMethod(HttpClient.class, "newBuilder")
          .orShould()
          .callMethod(HttpClient.class, "newHttpClient");

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
  static final ArchRule simulatorPackagesHaveNoCycle =
      slices().matching("io.convoke.simulator.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule fakesPackagesHaveNoCycle =
      slices().matching("io.convoke.fakes.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule chaosPackagesHaveNoCycle =
      slices().matching("io.convoke.chaos.(*)..").should().beFreeOfCycles();

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

  /** The libraries share the package {@code engine}; its parts on Redis are dispatch. */
  private static String moduleOf(JavaClass type) {
    String[] parts = type.getPackageName().split("\\.", -1);
    if (!parts[2].equals("engine")) {
      return parts[2];
    }
    boolean redis =
        parts.length > 3 && Set.of("redis", "lease", "dispatch", "crypto").contains(parts[3]);
    return redis ? DISPATCH : DURABLE;
  }
}
