package io.convoke.e2e.build;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The names of types: one meaning for each within a module, and words of the field. */
@AnalyzeClasses(packages = "io.convoke", importOptions = ImportOption.DoNotIncludeTests.class)
class NamesTest {
  /** Parts of a name that say nothing about a type, or only to readers who know the project. */
  private static final Set<String> PRIVATE_WORDS =
      Set.of(
          "Adoption",
          "Clerk",
          "Customers",
          "Deed",
          "Desk",
          "Discretion",
          "Disturber",
          "Duty",
          "Ear",
          "Ears",
          "Errand",
          "Everybody",
          "Farewell",
          "Fate",
          "Ghost",
          "Ghosts",
          "Guardian",
          "Haunt",
          "Haunting",
          "Heard",
          "Hearsay",
          "Heart",
          "Hosting",
          "House",
          "Look",
          "Lying",
          "Mailbox",
          "Meters",
          "Painter",
          "Patience",
          "Pledge",
          "Reception",
          "Rehearsal",
          "Scratch",
          "Scribe",
          "Shutter",
          "Stand",
          "Stays",
          "Struck",
          "Studio",
          "Survey",
          "Teller",
          "Tender",
          "Terms",
          "Told",
          "Unheard",
          "Upkeep",
          "Verdict",
          "Vitals",
          "Warden",
          "Whoever",
          "Wish",
          "Wishes",
          "Witness",
          "Word",
          "Words");

  /** Names that need a word beside them to say which one is meant. */
  private static final Set<String> BARE_WORDS =
      Set.of(
          "Answer", "Attempt", "Call", "Change", "Config", "Entry", "Event", "Filter", "Found",
          "Held", "Key", "Kind", "Known", "Line", "Meter", "Missing", "Move", "Outcome", "Place",
          "Plan", "Reading", "Result", "Row", "Rows", "Run", "Session", "Source", "State", "Status",
          "Step", "Steps", "Taken", "Turn", "Waiting", "Work");

  @ArchTest
  static void noSimpleNameIsUsedTwiceInOneModule(JavaClasses classes) {
    Map<String, Set<String>> byName =
        classes.stream()
            .filter(NamesTest::isNamed)
            .collect(
                groupingBy(
                    type -> moduleOf(type) + " " + type.getSimpleName(),
                    TreeMap::new,
                    mapping(JavaClass::getName, toCollection(TreeSet::new))));
    assertThat(byName).hasSizeGreaterThan(1000);
    assertThat(byName.values()).allSatisfy(types -> assertThat(types).hasSize(1));
  }

  /** Generated ones have the names of the API's document, which may not change. */
  private static final String GENERATED = "io.convoke.client.calls";

  @ArchTest
  static void noTypeIsNamedByAPrivateWord(JavaClasses classes) {
    assertThat(
            classes.stream()
                .filter(NamesTest::isNamed)
                .filter(type -> !type.getPackageName().equals(GENERATED))
                .filter(type -> words(type).stream().anyMatch(PRIVATE_WORDS::contains))
                .map(JavaClass::getName))
        .isEmpty();
  }

  @ArchTest
  static void noTypeIsNamedByABareWord(JavaClasses classes) {
    assertThat(
            classes.stream()
                .filter(NamesTest::isNamed)
                .filter(type -> BARE_WORDS.contains(type.getSimpleName()))
                .map(JavaClass::getName))
        .isEmpty();
  }

  private static List<String> words(JavaClass type) {
    return List.of(type.getSimpleName().split("(?<=[a-z0-9])(?=[A-Z])"));
  }

  private static boolean isNamed(JavaClass type) {
    return !type.isAnonymousClass()
        && !type.isLocalClass()
        && !type.getSimpleName().equals("package-info");
  }

  private static String moduleOf(JavaClass type) {
    return List.of(type.getPackageName().split("\\.")).get(2);
  }
}
