package io.convoke.chaos;

import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.mutants.Mutant;
import io.convoke.chaos.mutants.MutantBuild;
import io.convoke.simulator.process.ClassPaths;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Runs scenarios against mutants until each is found, or has survived all of its seeds. */
final class MutantRuns {
  private final Path home;
  private final List<ChaosScenario> scenarios;
  private final Consumer<String> output;

  MutantRuns(Path home, List<ChaosScenario> scenarios, Consumer<String> output) {
    this.home = home;
    this.scenarios = scenarios;
    this.output = output;
  }

  /** How the runs of a mutant ended. */
  private record MutantOutcome(boolean found, String text) {}

  /** Whether each of these was found. */
  boolean allFound(List<Mutant> mutants) throws IOException {
    int found = 0;
    for (Mutant mutant : mutants) {
      long began = System.nanoTime();
      MutantOutcome outcome = run(mutant);
      long seconds = Duration.ofNanos(System.nanoTime() - began).toSeconds();
      found += outcome.found ? 1 : 0;
      output.accept("%s: %s, %d s".formatted(mutant.label(), outcome.text, seconds));
    }
    output.accept("%d of %d mutants found".formatted(found, mutants.size()));
    return found == mutants.size();
  }

  private MutantOutcome run(Mutant mutant) throws IOException {
    ChaosScenario scenario =
        scenarios.stream()
            .filter(it -> it.name().equals(mutant.scenario()))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("no scenario of " + mutant.label()));
    try (ChaosEnvironment environment = ChaosEnvironment.open(Set.of())) {
      Path folder = environment.folder("mutant-" + mutant.name());
      ClassPaths.patch(MutantBuild.build(mutant, home, folder));
      List<TimedGoal> timed = new ArrayList<>();
      for (long seed : mutant.seeds()) {
        Optional<String> rules;
        try {
          rules = rules(scenario, seed, settings(scenario, mutant), environment, timed);
        } catch (Exception failed) {
          return new MutantOutcome(
              false, "NOT CARRIED OUT with seed " + seed + " (" + failed.getMessage() + ")");
        }
        if (rules.isPresent()) {
          return found(mutant, rules.get(), seed);
        }
      }
      return new MutantOutcome(
          false, "SURVIVED %d seeds; expected %s".formatted(mutant.seeds().size(), mutant.rules()));
    } finally {
      ClassPaths.unpatch();
    }
  }

  private static MutantOutcome found(Mutant mutant, String rules, long seed) {
    return new MutantOutcome(
        true,
        "found by %s with seed %d, the %d. of %d%s"
            .formatted(
                rules,
                seed,
                mutant.seeds().indexOf(seed) + 1,
                mutant.seeds().size(),
                mutant.rules().stream().anyMatch(rules::contains)
                    ? ""
                    : "; expected " + mutant.rules()));
  }

  private static ChaosSettings settings(ChaosScenario scenario, Mutant mutant) {
    ChaosSettings settings =
        scenario
            .usual()
            .withStorm(Duration.ofSeconds(mutant.options().seconds()))
            .withRedis(mutant.options().redis());
    return mutant.options().servers() == 0
        ? settings
        : settings.withServers(mutant.options().servers());
  }

  /** The rules that turned red; empty for a run that found nothing. */
  private static Optional<String> rules(
      ChaosScenario scenario,
      long seed,
      ChaosSettings settings,
      ChaosEnvironment environment,
      List<TimedGoal> timed)
      throws Exception {
    RunReport report = scenario.run(seed, settings, environment, _ -> {});
    List<TimedGoal> together = TimedGoal.together(List.copyOf(timed), report.timed());
    timed.clear();
    timed.addAll(together);
    if (report.good()) {
      return together.stream().allMatch(TimedGoal::kept)
          ? Optional.empty()
          : Optional.of("TimedGoal");
    }
    String rules =
        report.findings().stream()
            .map(RuleViolation::rule)
            .map(rule -> rule.isEmpty() ? "ConvergenceRule" : rule)
            .distinct()
            .sorted()
            .collect(Collectors.joining(", "));
    return Optional.of(report.vacuous() ? "VACUOUS" : rules.isEmpty() ? "ConvergenceRule" : rules);
  }
}
