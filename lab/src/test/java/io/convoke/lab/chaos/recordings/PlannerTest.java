package io.convoke.lab.chaos.recordings;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.lab.chaos.ChaosSettings;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A plan follows from its seed; over many seeds everything happens. */
final class PlannerTest {
  @Test
  void theSameSeedMakesTheSamePlan() {
    Plan plan = Planner.plan(5, ChaosSettings.FULL);
    assertThat(plan).isEqualTo(Planner.plan(5, ChaosSettings.FULL));
    assertThat(plan.lines()).isNotEqualTo(Planner.plan(6, ChaosSettings.FULL).lines());
    assertThat(plan.recordings())
        .hasSizeGreaterThan(5)
        .allSatisfy(one -> assertThat(one.at()).isLessThan(ChaosSettings.FULL.storm()));
  }

  @Test
  void overAHundredSeedsServersDieAtEachPointOfEachStep() {
    Set<String> points =
        LongStream.range(1, 101)
            .mapToObj(seed -> Planner.plan(seed, ChaosSettings.FULL))
            .flatMap(plan -> plan.disturbances().stream())
            .filter(Step.KillServers.class::isInstance)
            .map(Step.KillServers.class::cast)
            .map(kill -> kill.step() + " " + kill.point())
            .collect(Collectors.toSet());
    assertThat(points).hasSize(5 * Step.Point.values().length);
  }

  @Test
  void inSomeSeedsAQuarterOfAThousandRecordingsAppearWhileAllIsDown() {
    assertThat(Planner.plan(25, ChaosSettings.FULL).disturbances())
        .anySatisfy(
            step ->
                assertThat(step)
                    .isInstanceOfSatisfying(
                        Step.Outage.class, outage -> assertThat(outage.meanwhile()).hasSize(250)));
  }

  @Test
  void audioHoldsItsLinesAndIsAnother() {
    assertThat(Speech.lines("room@1")).isEqualTo(Speech.lines("room@1"));
    byte[] audio = Speech.audio("room@1");
    assertThat(audio).hasSize(44 + 8192 * Speech.lines("room@1").size());
    assertThat(new String(audio, java.nio.charset.StandardCharsets.US_ASCII))
        .contains(Speech.lines("room@1"));
    assertThat(Speech.lines("room@2")).doesNotContainAnyElementsOf(Speech.lines("room@1"));
  }
}
