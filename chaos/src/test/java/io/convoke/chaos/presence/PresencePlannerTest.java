package io.convoke.chaos.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.ChaosSettings;
import io.convoke.chaos.Fault;
import io.convoke.simulator.fault.FaultKind;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A plan follows from its seed and nothing else, and is worth carrying out. */
final class PresencePlannerTest {

  @Test
  void theSameSeedMakesTheSamePlan() {
    assertThat(PresencePlanner.plan(7, ChaosSettings.FULL))
        .isEqualTo(PresencePlanner.plan(7, ChaosSettings.FULL))
        .isNotEqualTo(PresencePlanner.plan(8, ChaosSettings.FULL));
  }

  @Test
  void everyPlanLosesWebhooksAndKillsAServerInTheMiddle() {
    Duration faultPhase = ChaosSettings.FULL.faultPhase();
    assertThat(plans())
        .allSatisfy(
            presencePlan -> {
              assertThat(presencePlan.faults().get(FaultKind.WEBHOOK_DROP))
                  .isNotNull()
                  .satisfies(drop -> assertThat(drop.probability()).isEqualTo(0.3));
              assertThat(presencePlan.plannedFaults())
                  .isNotEmpty()
                  .allSatisfy(
                      presencePlanStep ->
                          assertThat(presencePlanStep.at())
                              .isBetween(faultPhase.dividedBy(20), faultPhase));
              assertThat(presencePlan.steps())
                  .isSortedAccordingTo(Comparator.comparing(PresencePlanStep::at));
            });
  }

  @Test
  void halfOfTheRoomsAreEmptyBeforeTheFaultPhaseEnds() {
    assertThat(plans())
        .allSatisfy(
            presencePlan -> {
              Map<String, Integer> open = new HashMap<>();
              for (PresencePlanStep presencePlanStep : presencePlan.steps()) {
                switch (presencePlanStep) {
                  case PresencePlanStep.JoinRoom joinRoom ->
                      open.merge(joinRoom.room(), 1, Integer::sum);
                  case PresencePlanStep.LeaveRoom leaveRoom ->
                      open.merge(leaveRoom.room(), -1, Integer::sum);
                }
              }
              assertThat(open.values()).allMatch(people -> people >= 0);
              assertThat(open.values()).filteredOn(people -> people == 0).hasSizeGreaterThan(1);
            });
  }

  @Test
  void theFirstSeedsLackAStoreForLongAndEachHasAFrequentFaultOfPolls() {
    assertThat(PresencePlanner.plan(1, ChaosSettings.FULL).plannedFaults())
        .anyMatch(fault -> fault.toString().contains("Postgres stops for 6.5 s"));
    assertThat(PresencePlanner.plan(2, ChaosSettings.FULL).plannedFaults())
        .anyMatch(fault -> fault.toString().contains("Redis stops for 8.0 s"));
    List<FaultKind> frequent =
        List.of(FaultKind.PRESENCE_EMPTY, FaultKind.PRESENCE_TRUNCATED, FaultKind.PRESENCE_STALE);
    for (int seed = 0; seed < 3; seed++) {
      assertThat(PresencePlanner.plan(seed, ChaosSettings.FULL).faults().get(frequent.get(seed)))
          .satisfies(setting -> assertThat(setting.probability()).isEqualTo(0.3));
    }
  }

  @Test
  void inFiveSeedsOfSixAStoreIsAway() {
    assertThat(plans())
        .flatExtracting(PresencePlan::plannedFaults)
        .hasOnlyElementsOfTypes(
            Fault.KillServers.class,
            Fault.HangServer.class,
            Fault.RollServers.class,
            Fault.PostgresAway.class,
            Fault.RedisAway.class);
    assertThat(plans())
        .filteredOn(plan -> plan.plannedFaults().stream().anyMatch(PresencePlannerTest::ofAStore))
        .hasSize(83);
    assertThat(PresencePlanner.plan(6, ChaosSettings.FULL.withRedis(true)).plannedFaults())
        .anyMatch(PresencePlannerTest::ofAStore);
  }

  private static boolean ofAStore(Fault fault) {
    return fault instanceof Fault.RedisAway
        || fault instanceof Fault.FlushRedis
        || fault instanceof Fault.PostgresAway;
  }

  private static List<PresencePlan> plans() {
    return LongStream.range(1, 100)
        .mapToObj(seed -> PresencePlanner.plan(seed, ChaosSettings.FULL))
        .toList();
  }
}
