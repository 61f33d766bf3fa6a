package io.convoke.chaos.recordings;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.ChaosSettings;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A plan follows from its seed; over many seeds everything happens. */
final class RecordingPlannerTest {
  @Test
  void theSameSeedMakesTheSamePlan() {
    RecordingPlan recordingPlan = RecordingPlanner.plan(5, ChaosSettings.FULL);
    assertThat(recordingPlan).isEqualTo(RecordingPlanner.plan(5, ChaosSettings.FULL));
    assertThat(recordingPlan.lines())
        .isNotEqualTo(RecordingPlanner.plan(6, ChaosSettings.FULL).lines());
    assertThat(recordingPlan.recordings())
        .hasSizeGreaterThan(5)
        .allSatisfy(one -> assertThat(one.at()).isLessThan(ChaosSettings.FULL.faultPhase()));
  }

  @Test
  void overAHundredSeedsServersAreKilledAtEachPointOfEachStep() {
    Set<String> points =
        LongStream.range(1, 101)
            .mapToObj(seed -> RecordingPlanner.plan(seed, ChaosSettings.FULL))
            .flatMap(recordingPlan -> recordingPlan.plannedFaults().stream())
            .filter(RecordingPlanStep.KillRecordingServers.class::isInstance)
            .map(RecordingPlanStep.KillRecordingServers.class::cast)
            .map(kill -> kill.step() + " " + kill.point())
            .collect(Collectors.toSet());
    assertThat(points).hasSize(5 * RecordingPlanStep.KillPoint.values().length);
  }

  @Test
  void inEachSeedUsersRepeatEachStepAndDeleteAndTheFirstSeedsLackAStoreForLong() {
    for (long seed = 1; seed <= 3; seed++) {
      RecordingPlan plan = RecordingPlanner.plan(seed, ChaosSettings.FULL);
      assertThat(plan.recordings())
          .flatExtracting(one -> one.faultPlan().wish().stream().toList())
          .containsExactlyInAnyOrder(
              "download",
              "transcribe",
              "prepare",
              "transform",
              "push",
              "delete",
              "delete early",
              "correct");
      assertThat(plan.withoutCorrections().recordings())
          .hasSize(plan.recordings().size() - 1)
          .noneMatch(one -> one.faultPlan().wish().equals(Optional.of("correct")));
      assertThat(plan.recordings())
          .extracting(RecordingPlanStep.MakeRecording::room)
          .containsOnlyOnce(
              "rec-" + seed + "-unheard", "rec-" + seed + "-unwelcome", "rec-" + seed + "-moved");
    }
    assertThat(RecordingPlanner.plan(1, ChaosSettings.FULL).plannedFaults())
        .anyMatch(step -> step.toString().contains("Postgres stops for 6.5 s"));
    assertThat(RecordingPlanner.plan(2, ChaosSettings.FULL).plannedFaults())
        .anyMatch(step -> step.toString().contains("Redis stops for 9.0 s while 8 recordings"));
    // In this one servers know recordings by their webhooks alone.
    assertThat(RecordingPlanner.plan(7, ChaosSettings.FULL).plannedFaults())
        .anyMatch(step -> step.toString().contains("Redis stops for 9.0 s while 8 recordings"));
  }

  @Test
  void inSomeSeedsManyRecordingsAppearWhileAllServersAreDown() {
    assertThat(RecordingPlanner.plan(25, ChaosSettings.FULL).plannedFaults())
        .anySatisfy(
            recordingPlanStep ->
                assertThat(recordingPlanStep)
                    .isInstanceOfSatisfying(
                        RecordingPlanStep.KillAllServers.class,
                        killAllServers -> assertThat(killAllServers.meanwhile()).hasSize(250)));
  }

  @Test
  void audioContainsItsLinesAndDiffersBetweenRecordings() {
    assertThat(SpokenAudio.lines("room@1")).isEqualTo(SpokenAudio.lines("room@1"));
    byte[] audio = SpokenAudio.audio("room@1");
    assertThat(audio).hasSize(44 + 8192 * SpokenAudio.lines("room@1").size());
    assertThat(new String(audio, java.nio.charset.StandardCharsets.US_ASCII))
        .contains(SpokenAudio.lines("room@1"));
    assertThat(SpokenAudio.lines("room@2"))
        .doesNotContainAnyElementsOf(SpokenAudio.lines("room@1"));
  }
}
