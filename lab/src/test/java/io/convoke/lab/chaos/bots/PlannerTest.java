package io.convoke.lab.chaos.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.lab.chaos.ChaosSettings;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A plan follows from its seed and nothing else, and all plans together leave nothing out. */
final class PlannerTest {
  @Test
  void theSameSeedMakesTheSamePlan() {
    assertThat(Planner.plan(7, ChaosSettings.FULL))
        .isEqualTo(Planner.plan(7, ChaosSettings.FULL))
        .isNotEqualTo(Planner.plan(8, ChaosSettings.FULL));
  }

  @Test
  void everyPlanKillsServersAndAsksForMoreThanTheLimits() {
    assertThat(plans())
        .allSatisfy(
            plan -> {
              assertThat(plan.disturbances())
                  .hasAtLeastOneElementOfType(Step.KillServers.class)
                  .hasAtLeastOneElementOfType(Step.DropCommands.class)
                  .allMatch(step -> step.at().compareTo(ChaosSettings.FULL.storm()) < 0);
              assertThat(plan.wishes())
                  .isSortedAccordingTo(Comparator.comparing(Step.Wish::at))
                  .hasSizeGreaterThan(plan.limits().stream().mapToInt(limit -> limit).sum());
            });
  }

  @Test
  void everyKindOfLaunchAndEveryFateComesUp() {
    Set<Kind> kinds = new HashSet<>();
    Set<Fate> fates = new HashSet<>();
    plans().stream()
        .flatMap(plan -> plan.wishes().stream())
        .forEach(
            wish -> {
              kinds.add(Kind.of(wish.room()));
              fates.add(wish.fate());
              assertThat(wish.fate() == Fate.NONE || Kind.of(wish.room()).honest()).isTrue();
            });
    assertThat(kinds).containsAll(Arrays.asList(Kind.values()));
    assertThat(fates).containsAll(Arrays.asList(Fate.values()));
  }

  @Test
  void oldCallbacksComeAgainInEveryRunAndAfterRealMinutesInSome() {
    assertThat(plans())
        .allSatisfy(plan -> assertThat(plan.ghosts()).startsWith(Terms.LATE))
        .filteredOn(plan -> plan.ghosts().contains(Terms.REALLY_LATE))
        .hasSize(9);
  }

  @Test
  void withContainersTheEngineFailsAndDiesInEverySecondSeed() {
    ChaosSettings docker = ChaosSettings.FULL.withDocker(true);
    assertThat(LongStream.range(1, 100).mapToObj(seed -> Planner.plan(seed, docker)))
        .allSatisfy(
            plan -> {
              assertThat(plan.engine()).isPresent();
              assertThat(plan.disturbances().stream().anyMatch(Step.KillEngine.class::isInstance))
                  .isEqualTo(plan.seed() % 2 == 0);
            });
    assertThat(plans()).allMatch(plan -> plan.engine().isEmpty());
  }

  private static List<Plan> plans() {
    return LongStream.range(1, 100)
        .mapToObj(seed -> Planner.plan(seed, ChaosSettings.FULL))
        .toList();
  }
}
