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

  /** How a mutant was found: the rules that turned red. */
  private record Detection(String rules, long seed) {}

  /** Whether each of these was found. */
  boolean allFound(List<Mutant> mutants) throws IOException {
    int found = 0;
    for (Mutant mutant : mutants) {
      long began = System.nanoTime();
      Optional<Detection> detection = run(mutant);
      long seconds = Duration.ofNanos(System.nanoTime() - began).toSeconds();
      found += detection.isPresent() ? 1 : 0;
      output.accept(
          detection
              .map(
                  it ->
                      "%s: found by %s with seed %d, the %d. of %d, after %d s%s"
                          .formatted(
                              mutant.label(),
                              it.rules,
                              it.seed,
                              mutant.seeds().indexOf(it.seed) + 1,
                              mutant.seeds().size(),
                              seconds,
                              mutant.rules().stream().anyMatch(it.rules::contains)
                                  ? ""
                                  : "; expected " + mutant.rules()))
              .orElse(
                  "%s: SURVIVED %d seeds, %d s; expected %s"
                      .formatted(mutant.label(), mutant.seeds().size(), seconds, mutant.rules())));
    }
    output.accept("%d of %d mutants found".formatted(found, mutants.size()));
    return found == mutants.size();
  }

  private Optional<Detection> run(Mutant mutant) throws IOException {
    ChaosScenario scenario =
        scenarios.stream()
            .filter(it -> it.name().equals(mutant.scenario()))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("no scenario of " + mutant.label()));
    try (ChaosEnvironment environment = ChaosEnvironment.open()) {
      Path folder = environment.folder("mutant-" + mutant.name());
      ClassPaths.patch(MutantBuild.build(mutant, home, folder));
      List<TimedGoal> timed = new ArrayList<>();
      for (long seed : mutant.seeds()) {
        Optional<String> rules =
            rules(scenario, seed, settings(scenario, mutant), environment, timed);
        if (rules.isPresent()) {
          return Optional.of(new Detection(rules.get(), seed));
        }
      }
      return Optional.empty();
    } finally {
      ClassPaths.unpatch();
    }
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
      List<TimedGoal> timed) {
    try {
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
      return Optional.of(
          report.vacuous() ? "VACUOUS" : rules.isEmpty() ? "ConvergenceRule" : rules);
    } catch (Exception failed) {
      return Optional.of("NOT CARRIED OUT (" + failed.getMessage() + ")");
    }
  }
}
