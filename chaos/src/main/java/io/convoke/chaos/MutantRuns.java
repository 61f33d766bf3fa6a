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
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Runs scenarios against mutants until each is found, or has survived all of its seeds. */
final class MutantRuns {
  private static final String CONVERGENCE = "ConvergenceRule";

  private final Path home;
  private final List<ChaosScenario> scenarios;
  private final Consumer<String> output;

  MutantRuns(Path home, List<ChaosScenario> scenarios, Consumer<String> output) {
    this.home = home;
    this.scenarios = scenarios;
    this.output = output;
  }

  /**
   * How the runs of a mutant ended.
   *
   * @param examples the first finding of each rule
   */
  private record MutantOutcome(boolean found, String text, List<String> examples) {
    MutantOutcome(String text) {
      this(false, text, List.of());
    }
  }

  /** What a run found. */
  private record RunFindings(String rules, List<String> examples) {}

  /** Whether each of these was found. */
  boolean allFound(List<Mutant> mutants) throws IOException {
    int found = 0;
    for (Mutant mutant : mutants) {
      long began = System.nanoTime();
      MutantOutcome outcome = run(mutant);
      long seconds = Duration.ofNanos(System.nanoTime() - began).toSeconds();
      found += outcome.found ? 1 : 0;
      output.accept("%s: %s, %d s".formatted(mutant.label(), outcome.text, seconds));
      outcome.examples.forEach(example -> output.accept("  " + example));
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
        Optional<RunFindings> findings;
        try {
          findings = findings(scenario, seed, settings(scenario, mutant), environment, timed);
        } catch (Exception failed) {
          return new MutantOutcome(
              "NOT CARRIED OUT with seed " + seed + " (" + failed.getMessage() + ")");
        }
        if (findings.isPresent()) {
          return found(mutant, findings.get(), seed);
        }
      }
      return new MutantOutcome(
          "SURVIVED %d seeds; expected %s".formatted(mutant.seeds().size(), mutant.rules()));
    } finally {
      ClassPaths.unpatch();
    }
  }

  private static MutantOutcome found(Mutant mutant, RunFindings findings, long seed) {
    return new MutantOutcome(
        true,
        "found by %s with seed %d, the %d. of %d%s"
            .formatted(
                findings.rules,
                seed,
                mutant.seeds().indexOf(seed) + 1,
                mutant.seeds().size(),
                mutant.rules().stream().anyMatch(findings.rules::contains)
                    ? ""
                    : "; expected " + mutant.rules()),
        findings.examples);
  }

  private static ChaosSettings settings(ChaosScenario scenario, Mutant mutant) {
    int seconds = mutant.options().seconds();
    ChaosSettings settings =
        scenario
            .usual()
            .withStorm(seconds == 0 ? scenario.mutantPhase() : Duration.ofSeconds(seconds))
            .withRedis(mutant.options().redis());
    return mutant.options().servers() == 0
        ? settings
        : settings.withServers(mutant.options().servers());
  }

  /** The rules that turned red; empty for a run that found nothing. */
  private static Optional<RunFindings> findings(
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
          : Optional.of(new RunFindings("TimedGoal", List.of()));
    }
    Map<String, String> examples = new TreeMap<>();
    for (RuleViolation finding : report.findings()) {
      String rule = finding.rule().isEmpty() ? CONVERGENCE : finding.rule();
      String _ = examples.putIfAbsent(rule, rule + ": " + finding.text());
    }
    String rules = examples.isEmpty() ? CONVERGENCE : String.join(", ", examples.keySet());
    return Optional.of(
        new RunFindings(report.vacuous() ? "VACUOUS" : rules, List.copyOf(examples.values())));
  }
}
