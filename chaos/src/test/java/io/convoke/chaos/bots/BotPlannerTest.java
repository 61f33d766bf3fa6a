package io.convoke.chaos.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.ChaosSettings;
import io.convoke.chaos.Fault;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A plan follows from its seed and nothing else, and all plans together leave nothing out. */
final class BotPlannerTest {
  @Test
  void theSameSeedMakesTheSamePlan() {
    assertThat(BotPlanner.plan(7, ChaosSettings.FULL))
        .isEqualTo(BotPlanner.plan(7, ChaosSettings.FULL))
        .isNotEqualTo(BotPlanner.plan(8, ChaosSettings.FULL));
  }

  @Test
  void everyPlanKillsServersAndAsksForMoreThanTheLimits() {
    assertThat(plans())
        .allSatisfy(
            botPlan -> {
              assertThat(botPlan.faults())
                  .hasAtLeastOneElementOfType(Fault.KillServers.class)
                  .hasAtLeastOneElementOfType(Fault.DropSubscriptions.class)
                  .allMatch(
                      botPlanStep ->
                          botPlanStep.at().compareTo(ChaosSettings.FULL.faultPhase()) < 0);
              assertThat(botPlan.requests())
                  .isSortedAccordingTo(Comparator.comparing(BotPlanStep.RequestBot::at))
                  .hasSizeGreaterThan(botPlan.limits().stream().mapToInt(limit -> limit).sum());
            });
  }

  @Test
  void everyKindOfLaunchAndEveryFaultOccurs() {
    Set<BotScenarioKind> kinds = new HashSet<>();
    Set<BotFault> faults = new HashSet<>();
    plans().stream()
        .flatMap(botPlan -> botPlan.requests().stream())
        .forEach(
            requestBot -> {
              kinds.add(BotScenarioKind.of(requestBot.room()));
              faults.add(requestBot.fault());
              assertThat(
                      requestBot.fault() == BotFault.NONE
                          || BotScenarioKind.of(requestBot.room()).honest())
                  .isTrue();
            });
    assertThat(kinds).containsAll(Arrays.asList(BotScenarioKind.values()));
    // Bots of the features have this one.
    assertThat(faults).containsAll(EnumSet.complementOf(EnumSet.of(BotFault.LEAVES_SLOWLY)));
  }

  @Test
  void oldCallbacksAreReplayedInEveryRunAndAfterMinutesInSome() {
    assertThat(plans())
        .allSatisfy(botPlan -> assertThat(botPlan.replays()).startsWith(BotRunConfig.LATE))
        .filteredOn(botPlan -> botPlan.replays().contains(BotRunConfig.REALLY_LATE))
        .hasSize(9);
  }

  @Test
  void withContainersTheEngineFailsAndIsKilledInEverySecondSeed() {
    ChaosSettings docker = ChaosSettings.FULL.withDocker(true);
    assertThat(LongStream.range(1, 100).mapToObj(seed -> BotPlanner.plan(seed, docker)))
        .allSatisfy(
            botPlan -> {
              assertThat(botPlan.engine()).isPresent();
              assertThat(botPlan.engineFaults().isEmpty()).isEqualTo(botPlan.seed() % 2 != 0);
            });
    assertThat(plans()).allMatch(botPlan -> botPlan.engine().isEmpty());
  }

  private static List<BotPlan> plans() {
    return LongStream.range(1, 100)
        .mapToObj(seed -> BotPlanner.plan(seed, ChaosSettings.FULL))
        .toList();
  }
}
