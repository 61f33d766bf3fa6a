package io.convoke.chaos.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.AddedFault;
import io.convoke.chaos.ChaosSettings;
import io.convoke.chaos.Fault;
import io.convoke.chaos.durable.flow.TestFlow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A plan follows from its seed and nothing else, and is worth carrying out. */
final class FlowPlannerTest {

  @Test
  void theSameSeedMakesTheSamePlan() {
    assertThat(FlowPlanner.plan(7, ChaosSettings.FULL, false))
        .isEqualTo(FlowPlanner.plan(7, ChaosSettings.FULL, false))
        .isNotEqualTo(FlowPlanner.plan(8, ChaosSettings.FULL, false));
  }

  @Test
  void everyPlanKillsNodesAgainAndAgainAndRunsFlowsOfEveryKind() {
    assertThat(plans())
        .allSatisfy(
            flowPlan -> {
              assertThat(flowPlan.kills()).isGreaterThan(5);
              List<TestFlow> flows = new ArrayList<>(flowPlan.flows());
              flows.addAll(FlowPlanner.longActivities(flowPlan.seed()).flows());
              flows.addAll(FlowPlanner.steps(flowPlan.seed()).flows());
              assertThat(flows)
                  .extracting(TestFlow::kind)
                  .contains(TestFlow.TestFlowKind.values())
                  .hasSizeGreaterThan(100);
              assertThat(flowPlan.orders())
                  .isSortedAccordingTo(Comparator.comparing(FlowOrder::at));
              assertThat(flowPlan.flows()).extracting(TestFlow::id).doesNotHaveDuplicates();
            });
  }

  @Test
  void inEveryThirdPlanNodesAreKilledOneAfterTheOtherWithoutOtherFaults() {
    assertThat(plans().stream().filter(flowPlan -> flowPlan.seed() % 3 == 0))
        .allSatisfy(
            flowPlan -> {
              assertThat(flowPlan.faults()).hasOnlyElementsOfType(FlowFault.KillOnceAllWork.class);
              List<Long> at = flowPlan.faults().stream().map(it -> it.at().toMillis()).toList();
              for (int i = 1; i < at.size(); i++) {
                assertThat(at.get(i) - at.get(i - 1)).isGreaterThan(1000);
              }
            });
  }

  @Test
  void everyKindOfFaultIsInSomePlan() {
    List<Object> faults =
        plans().stream()
            .flatMap(plan -> plan.faults().stream())
            .map(fault -> fault instanceof FlowFault.OnNodes(Fault shared) ? shared : fault)
            .collect(Collectors.toList());
    assertThat(faults)
        .hasAtLeastOneElementOfType(Fault.KillServers.class)
        .hasAtLeastOneElementOfType(Fault.HangServer.class)
        .hasAtLeastOneElementOfType(Fault.PostgresAway.class)
        .hasAtLeastOneElementOfType(FlowFault.CutConnections.class)
        .hasAtLeastOneElementOfType(FlowFault.BlackholeListener.class)
        .hasAtLeastOneElementOfType(FlowFault.MoveClock.class);
    assertThat(plans()).anyMatch(flowPlan -> !flowPlan.clientAhead().isZero());
  }

  @Test
  void anAddedFaultLeavesTheRestOfThePlanAsItWas() {
    FlowPlan without = FlowPlanner.plan(4, ChaosSettings.FULL, false);
    FlowPlan with =
        FlowPlanner.plan(4, ChaosSettings.FULL.withAdded(Set.of(AddedFault.FAILOVER)), false);
    assertThat(with.orders()).isEqualTo(without.orders());
    assertThat(with.faults()).containsAll(without.faults()).hasSize(without.faults().size() + 1);
  }

  @Test
  void aFlowEqualsItsParsedText() {
    assertThat(plans())
        .flatExtracting(FlowPlan::flows)
        .allSatisfy(testFlow -> assertThat(TestFlow.parse(testFlow.text())).isEqualTo(testFlow));
  }

  @Test
  void aSagaReturnsNothingAndLeavesTheEffectWithoutCompensation() {
    TestFlow saga = new TestFlow("s", TestFlow.TestFlowKind.SAGA, 3, 42);
    assertThat(saga.output()).isZero();
    assertThat(saga.booked()).isEqualTo(saga.activity(3).amount()).isPositive();
    assertThat(saga.activities()).hasSize(7);
  }

  private static List<FlowPlan> plans() {
    return LongStream.range(1, 60)
        .mapToObj(seed -> FlowPlanner.plan(seed, ChaosSettings.FULL, false))
        .toList();
  }
}
