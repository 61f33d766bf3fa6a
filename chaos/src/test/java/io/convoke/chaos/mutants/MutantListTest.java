package io.convoke.chaos.mutants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.chaos.mutants.Mutant.SourceEdit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The mutants of the product fit its sources, and there are enough of them for each scenario. */
final class MutantListTest {
  private static final Path HOME = MutantList.home();

  @Test
  void eachScenarioHasTenMutantsRoomsAndWebhooksFiveAndSixtyInAll() throws IOException {
    List<Mutant> all = all();
    assertThat(all).hasSizeGreaterThanOrEqualTo(60);
    assertThat(all.stream().collect(Collectors.groupingBy(Mutant::scenario, Collectors.counting())))
        .containsOnlyKeys(
            "presence", "bots", "durable", "sync", "recordings", "dispatch", "rooms", "webhooks")
        .allSatisfy(
            (scenario, number) ->
                assertThat(number)
                    .isGreaterThanOrEqualTo(
                        Set.of("rooms", "webhooks").contains(scenario) ? 5 : 10));
    assertThat(all).extracting(Mutant::label).doesNotHaveDuplicates();
  }

  @Test
  void eachMutantFitsTheSourcesOfTheProduct() throws IOException {
    for (Mutant mutant : all()) {
      Map<String, String> texts = new HashMap<>();
      for (SourceEdit edit : mutant.edits()) {
        String before = texts.get(edit.file());
        String source = before == null ? Files.readString(HOME.resolve(edit.file())) : before;
        String changed = edit.apply(source);
        assertThat(changed).as(mutant.label()).isNotEqualTo(source);
        texts.put(edit.file(), changed);
      }
    }
  }

  private static final Pattern NAMED = Pattern.compile("Rule\\.named\\(\"(\\w+)\"");

  @Test
  void theRuleThatAMutantNamesExists() throws IOException {
    List<String> others =
        List.of(
            "VACUOUS",
            "TimedGoal",
            "ConvergenceRule",
            "SyncAnswerRule",
            "SyncAttemptRule",
            "SyncPermissionRule",
            "ComparisonRule");
    List<String> known = new ArrayList<>(others);
    try (Stream<Path> files = Files.walk(HOME.resolve("chaos/src/main/java"))) {
      for (Path file : files.filter(it -> it.toString().endsWith(".java")).toList()) {
        known.add(file.getFileName().toString().replace(".java", ""));
        Matcher named = NAMED.matcher(Files.readString(file));
        while (named.find()) {
          known.add(named.group(1));
        }
      }
    }
    assertThat(all())
        .allSatisfy(mutant -> assertThat(mutant.rules()).as(mutant.label()).isSubsetOf(known));
  }

  private static final Pattern IN_CHECKER = Pattern.compile("\"(\\w+Rule)\"|new (\\w+Rule)\\(");

  /** Packages that hold rules of a scenario of another name. */
  private static final Map<String, String> SCENARIO_OF = Map.of("history", "presence");

  @Test
  void eachRuleOfAScenarioIsNamedByAMutant() throws IOException {
    Path chaos = HOME.resolve("chaos/src/main/java/io/convoke/chaos");
    Map<String, Set<String>> named = new TreeMap<>();
    for (Mutant mutant : all()) {
      named.computeIfAbsent(mutant.scenario(), _ -> new TreeSet<>()).addAll(mutant.rules());
    }
    Map<String, Set<String>> rules = new TreeMap<>();
    try (Stream<Path> files = Files.walk(chaos)) {
      for (Path file : files.filter(it -> it.toString().endsWith(".java")).toList()) {
        String folder = chaos.relativize(file).getName(0).toString();
        String scenario = SCENARIO_OF.getOrDefault(folder, folder);
        if (named.containsKey(scenario)) {
          IN_CHECKER
              .matcher(Files.readString(file))
              .results()
              .map(found -> Optional.ofNullable(found.group(1)).orElseGet(() -> found.group(2)))
              .forEach(rules.computeIfAbsent(scenario, _ -> new TreeSet<>())::add);
        }
      }
    }
    assertThat(rules).containsOnlyKeys(named.keySet());
    assertThat(rules)
        .allSatisfy(
            (scenario, its) -> assertThat(its).as(scenario).isSubsetOf(named.get(scenario)));
  }

  @Test
  void anEditWhoseOldTextIsNotThereOnceIsRefused() {
    SourceEdit edit = new SourceEdit("A.java", "a", "b");
    assertThat(edit.apply("xay")).isEqualTo("xby");
    assertThatThrownBy(() -> edit.apply("xy")).hasMessageContaining("A.java has no text");
    assertThatThrownBy(() -> edit.apply("aa")).hasMessageContaining("more than one");
  }

  @Test
  void aListIsReadWithItsOptions() {
    List<Mutant> read =
        MutantList.parse(
            "presence",
            """
            # 01-first
            rules: OneRule OtherRule
            seeds: 4 5
            options: seconds=6 servers=1 redis
            file: a/B.java
            <<<<
            old
            text
            ====
            >>>>

            # 02-second
            rules: OneRule
            file: c/D.java
            <<<<
            old
            ====
            new
            >>>>
            """
                .lines()
                .toList());
    assertThat(read).hasSize(2);
    assertThat(read.getFirst())
        .isEqualTo(
            new Mutant(
                "presence",
                "01-first",
                List.of("OneRule", "OtherRule"),
                List.of(4L, 5L),
                new Mutant.MutantOptions(6, 1, true),
                List.of(new SourceEdit("a/B.java", "old\ntext", ""))));
    assertThat(read.getLast().seeds()).isNotEmpty();
  }

  private static List<Mutant> all() throws IOException {
    return MutantList.read(HOME.resolve("chaos/src/mutants"));
  }
}
