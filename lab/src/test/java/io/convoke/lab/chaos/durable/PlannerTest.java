package io.convoke.lab.chaos.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.lab.chaos.ChaosSettings;
import io.convoke.lab.chaos.durable.flow.Flow;
import java.util.Comparator;
import java.util.List;
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
  void everyPlanKillsNodesAgainAndAgainAndRunsFlowsOfEveryKind() {
    assertThat(plans())
        .allSatisfy(
            plan -> {
              assertThat(plan.kills()).isGreaterThan(5);
              assertThat(plan.flows())
                  .extracting(Flow::kind)
                  .contains(Flow.Kind.values())
                  .hasSizeGreaterThan(100);
              assertThat(plan.orders()).isSortedAccordingTo(Comparator.comparing(Step::at));
              assertThat(plan.flows()).extracting(Flow::id).doesNotHaveDuplicates();
            });
  }

  @Test
  void inEveryThirdPlanNodesDieOneAfterTheOtherAndNothingElseIsWrong() {
    assertThat(plans().stream().filter(plan -> plan.seed() % 3 == 0))
        .allSatisfy(
            plan -> {
              assertThat(plan.disturbances()).hasOnlyElementsOfType(Step.KillNode.class);
              List<Long> at = plan.disturbances().stream().map(it -> it.at().toMillis()).toList();
              for (int i = 1; i < at.size(); i++) {
                assertThat(at.get(i) - at.get(i - 1)).isGreaterThan(1000);
              }
            });
  }

  @Test
  void everyKindOfFaultIsInSomePlan() {
    assertThat(plans())
        .flatExtracting(Plan::disturbances)
        .hasAtLeastOneElementOfType(Step.PauseNode.class)
        .hasAtLeastOneElementOfType(Step.CutConnections.class)
        .hasAtLeastOneElementOfType(Step.CrashPostgres.class)
        .hasAtLeastOneElementOfType(Step.DeafenNode.class)
        .hasAtLeastOneElementOfType(Step.MoveClock.class);
    assertThat(plans()).anyMatch(plan -> !plan.clientAhead().isZero());
  }

  @Test
  void aFlowIsWhatItsTextSays() {
    assertThat(plans())
        .flatExtracting(Plan::flows)
        .allSatisfy(flow -> assertThat(Flow.parse(flow.text())).isEqualTo(flow));
  }

  @Test
  void aSagaComesToNothingAndLeavesTheBookingThatNothingUndoes() {
    Flow saga = new Flow("s", Flow.Kind.SAGA, 3, 42);
    assertThat(saga.output()).isZero();
    assertThat(saga.booked()).isEqualTo(saga.errand(3).amount()).isPositive();
    assertThat(saga.errands()).hasSize(7);
  }

  private static List<Plan> plans() {
    return LongStream.range(1, 60)
        .mapToObj(seed -> Planner.plan(seed, ChaosSettings.FULL))
        .toList();
  }
}
