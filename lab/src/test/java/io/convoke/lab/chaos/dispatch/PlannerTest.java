package io.convoke.lab.chaos.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.lab.chaos.ChaosSettings;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A plan follows from its seed; over many seeds everything happens. */
final class PlannerTest {
  private static final ChaosSettings USUAL = new DispatchChaos().usual();

  @Test
  void theSameSeedMakesTheSamePlan() {
    Plan plan = Planner.plan(5, USUAL);
    assertThat(plan).isEqualTo(Planner.plan(5, USUAL));
    assertThat(plan.lines()).isNotEqualTo(Planner.plan(6, USUAL).lines());
    assertThat(plan.servers()).isEqualTo(3);
    assertThat(plan.pods()).isEqualTo(6);
    assertThat(plan.orders())
        .hasSizeGreaterThan(50)
        .allSatisfy(order -> assertThat(order.at()).isLessThan(USUAL.storm()));
  }

  @Test
  void overAHundredSeedsEverythingGoesWrong() {
    List<Plan> plans =
        LongStream.range(1, 101).mapToObj(seed -> Planner.plan(seed, USUAL)).toList();
    Set<Class<?>> kinds =
        plans.stream()
            .flatMap(plan -> plan.disturbances().stream())
            .map(Step::getClass)
            .collect(Collectors.toSet());
    assertThat(kinds).hasSize(Step.class.getPermittedSubclasses().length);
    assertThat(plans).anyMatch(plan -> plan.clocks().size() == 2);
    assertThat(plans)
        .flatMap(Plan::orders)
        .anyMatch(order -> order.unique() && order.times() > 0)
        .anyMatch(order -> order.stops().size() == 2)
        .anyMatch(order -> order.region().isEmpty() && !order.patient())
        .anyMatch(order -> order.fate().kind() == Fate.Kind.DEAF);
  }

  @Test
  void theSliceHasOneServerAndAPodInEachRegion() {
    Plan plan = Planner.plan(5, ChaosSettings.QUICK);
    assertThat(plan.servers()).isEqualTo(1);
    assertThat(plan.pods()).isEqualTo(3);
  }
}
