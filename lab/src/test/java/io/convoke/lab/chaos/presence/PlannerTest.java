package io.convoke.lab.chaos.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.lab.chaos.ChaosSettings;
import io.convoke.lab.sim.fault.FaultKind;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A plan follows from its seed and nothing else, and is worth carrying out. */
final class PlannerTest {

  @Test
  void theSameSeedMakesTheSamePlan() {
    assertThat(Planner.plan(7, ChaosSettings.FULL))
        .isEqualTo(Planner.plan(7, ChaosSettings.FULL))
        .isNotEqualTo(Planner.plan(8, ChaosSettings.FULL));
  }

  @Test
  void everyPlanLosesWebhooksAndKillsAServerInTheMiddle() {
    Duration storm = ChaosSettings.FULL.storm();
    assertThat(plans())
        .allSatisfy(
            plan -> {
              assertThat(plan.faults().get(FaultKind.WEBHOOK_DROP))
                  .isNotNull()
                  .satisfies(drop -> assertThat(drop.probability()).isEqualTo(0.3));
              assertThat(plan.disturbances())
                  .isNotEmpty()
                  .allSatisfy(step -> assertThat(step.at()).isBetween(storm.dividedBy(20), storm));
              assertThat(plan.moves()).isSortedAccordingTo(Comparator.comparing(Step::at));
            });
  }

  @Test
  void halfOfTheRoomsAreEmptyBeforeTheStormIsOver() {
    assertThat(plans())
        .allSatisfy(
            plan -> {
              Map<String, Integer> open = new HashMap<>();
              for (Step step : plan.moves()) {
                switch (step) {
                  case Step.Join join -> open.merge(join.room(), 1, Integer::sum);
                  case Step.Leave leave -> open.merge(leave.room(), -1, Integer::sum);
                  case Step.KillServer _, Step.PauseServer _, Step.StopRedis _, Step.FlushRedis _ ->
                      throw new AssertionError(step);
                }
              }
              assertThat(open.values()).allMatch(people -> people >= 0);
              assertThat(open.values()).filteredOn(people -> people == 0).hasSizeGreaterThan(1);
            });
  }

  @Test
  void redisIsLeftAloneUnlessAskedFor() {
    assertThat(plans())
        .flatExtracting(Plan::disturbances)
        .hasOnlyElementsOfTypes(Step.KillServer.class, Step.PauseServer.class);
    assertThat(Planner.plan(1, ChaosSettings.FULL.withRedis(true)).disturbances())
        .anyMatch(step -> step instanceof Step.StopRedis || step instanceof Step.FlushRedis);
  }

  private static List<Plan> plans() {
    return LongStream.range(1, 100)
        .mapToObj(seed -> Planner.plan(seed, ChaosSettings.FULL))
        .toList();
  }
}
