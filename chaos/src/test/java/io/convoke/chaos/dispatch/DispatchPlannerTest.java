package io.convoke.chaos.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.ChaosSettings;
import io.convoke.chaos.Fault;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A plan follows from its seed; over many seeds everything happens. */
final class DispatchPlannerTest {
  private static final ChaosSettings USUAL = new DispatchChaos().usual();

  @Test
  void theSameSeedMakesTheSamePlan() {
    DispatchPlan dispatchPlan = DispatchPlanner.plan(5, USUAL);
    assertThat(dispatchPlan).isEqualTo(DispatchPlanner.plan(5, USUAL));
    assertThat(dispatchPlan.lines()).isNotEqualTo(DispatchPlanner.plan(6, USUAL).lines());
    assertThat(dispatchPlan.servers()).isEqualTo(3);
    assertThat(dispatchPlan.pods()).isEqualTo(6);
    assertThat(dispatchPlan.orders())
        .hasSizeGreaterThan(50)
        .allSatisfy(plannedTask -> assertThat(plannedTask.at()).isLessThan(USUAL.faultPhase()));
  }

  @Test
  void overAHundredSeedsEveryFaultOccurs() {
    List<DispatchPlan> plans =
        LongStream.range(1, 101).mapToObj(seed -> DispatchPlanner.plan(seed, USUAL)).toList();
    Set<Class<?>> kinds =
        plans.stream()
            .flatMap(dispatchPlan -> dispatchPlan.faults().stream())
            .map(DispatchPlannerTest::kind)
            .collect(Collectors.toSet());
    assertThat(kinds)
        .contains(
            Fault.KillServers.class,
            Fault.HangServer.class,
            Fault.SilentNetwork.class,
            Fault.CutOff.class,
            Fault.RedisAway.class,
            Fault.FlushRedis.class,
            Fault.CutRedis.class,
            Fault.LoseLastWrites.class,
            Fault.PostgresAway.class)
        .hasSize(9 + DispatchFault.class.getPermittedSubclasses().length - 2);
    assertThat(plans)
        .allSatisfy(
            plan ->
                assertThat(plan.faults())
                    .hasAtLeastOneElementOfType(DispatchFault.DrainPod.class)
                    .hasAtLeastOneElementOfType(DispatchFault.OnServers.class));
    assertThat(plans)
        .flatMap(DispatchPlan::orders)
        .anyMatch(plannedTask -> plannedTask.server().isPresent() && !plannedTask.patient());
    assertThat(plans).anyMatch(dispatchPlan -> dispatchPlan.clocks().size() == 2);
    assertThat(plans)
        .flatMap(DispatchPlan::orders)
        .anyMatch(plannedTask -> plannedTask.unique() && plannedTask.times() > 0)
        .anyMatch(plannedTask -> plannedTask.stops().size() == 2)
        .anyMatch(plannedTask -> plannedTask.region().isEmpty() && !plannedTask.patient())
        .anyMatch(
            plannedTask -> plannedTask.faultPlan().kind() == TaskFaultPlan.TaskFaultKind.DEAF);
  }

  /** Shared faults of servers and of pods by their own kind. */
  private static Class<?> kind(DispatchFault fault) {
    return switch (fault) {
      case DispatchFault.OnServers(Fault shared) -> shared.getClass();
      case DispatchFault.OnPods(Fault shared) -> shared.getClass();
      case DispatchFault.KillPodAtPoint _,
          DispatchFault.DelayNextPod _,
          DispatchFault.ReplayNextPod _,
          DispatchFault.DrainPod _ ->
          fault.getClass();
    };
  }

  @Test
  void theSliceHasOneServerAndAPodInEachRegion() {
    DispatchPlan dispatchPlan = DispatchPlanner.plan(5, ChaosSettings.QUICK);
    assertThat(dispatchPlan.servers()).isEqualTo(1);
    assertThat(dispatchPlan.pods()).isEqualTo(3);
  }
}
