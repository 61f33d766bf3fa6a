package io.convoke.chaos.dispatch.rules;

import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.at;
import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.attempt;
import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.row;
import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.transition;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.dispatch.rules.TaskHistory.ObservedAttempt;
import io.convoke.chaos.dispatch.rules.TaskHistory.ObservedTransition;
import io.convoke.chaos.dispatch.rules.TaskHistory.RecoveryOutage;
import io.convoke.chaos.dispatch.rules.TaskHistory.RequestedTask;
import io.convoke.chaos.dispatch.rules.TaskHistory.RequestedTask.ProgramEnd;
import io.convoke.chaos.dispatch.rules.TaskHistory.SilentPod;
import io.convoke.chaos.dispatch.rules.TaskHistory.TaskLimits;
import io.convoke.chaos.dispatch.rules.TaskHistory.TaskRow;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.StreamRule.Streams;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A pod in us with one slot ends its first task at 1 s; another task waits then, until 9 s. */
final class TaskIdleRulesTest {
  private static final String POD = "pod-a";

  private final List<RequestedTask> asked =
      new ArrayList<>(List.of(new RequestedTask("r1", "room", false, ProgramEnd.SUCCEEDS)));
  private final List<ObservedTransition> transitions = new ArrayList<>();
  private final List<TaskRow> rows =
      new ArrayList<>(
          List.of(
              row("t1", "r1", "SUCCESS", 1, "", 0, 1000),
              row("t2", "r2", "SUCCESS", 1, "", 500, 9900)));
  private final List<ObservedAttempt> attempts = new ArrayList<>();
  private final List<SilentPod> silences = new ArrayList<>();
  private final List<FaultWindow> windows = new ArrayList<>();
  private final List<RecoveryOutage> troubles = new ArrayList<>();

  TaskIdleRulesTest() {
    move("task.pending", "t1", "PENDING", 0, "", 0);
    move("task.processing", "t1", "PROCESSING", 1, POD, 100);
    move("task.success", "t1", "SUCCESS", 1, POD, 1000);
    move("task.pending", "t2", "PENDING", 0, "", 500);
    attempts.add(attempt("t1", 1, POD, 110, 990, "0"));
  }

  @Test
  void aTaskThatWaitsWhileAPodIsIdleIsFound() {
    wants(Optional.empty());
    claimedAt(9000);
    assertThat(check()).hasSize(1);
    transitions.removeLast();
    claimedAt(2000);
    assertThat(check()).isEmpty();
  }

  @Test
  void aTaskWaitsForItsRegionBeforeItGoesElsewhere() {
    wants(Optional.of("eu"));
    claimedAt(6500);
    assertThat(check()).isEmpty();
    transitions.removeLast();
    claimedAt(9000);
    assertThat(check()).hasSize(1);
  }

  @Test
  void aPodThatIsBusyUnreachableOrDrainedIsNotIdle() {
    wants(Optional.empty());
    claimedAt(9000);
    attempts.set(0, attempt("t1", 1, POD, 110, 8000, "0"));
    assertThat(check()).isEmpty();
    attempts.set(0, attempt("t1", 1, POD, 110, 990, "0"));
    silences.add(new SilentPod(POD, "it was killed", at(2000), Optional.empty()));
    assertThat(check()).isEmpty();
    silences.clear();
    windows.add(new FaultWindow("drain", POD, at(900), at(2000)));
    assertThat(check()).isEmpty();
    windows.clear();
    troubles.add(new RecoveryOutage("Redis away", at(4000), at(5000), false));
    assertThat(check()).isEmpty();
    troubles.clear();
    assertThat(check()).hasSize(1);
  }

  @Test
  void aPodThatAsksItsProgramToStopHoldsTheTaskUntilItEnds() {
    wants(Optional.empty());
    claimedAt(9000);
    transitions.set(2, transition(3, "task.stopping", "t1", "PROCESSING", 1, POD, "", 1000));
    move("task.success", "t1", "SUCCESS", 1, POD, 8000);
    assertThat(check()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"1,pod-a,0", "2,pod-a,1", "1,pod-b,1"})
  void onlyTheProgramOfItsOwnClaimKeepsAPodBusy(int number, String pod, int found) {
    wants(Optional.empty());
    claimedAt(9000);
    attempts.add(attempt("t1", number, pod, 2000, 8000, "0"));
    assertThat(check()).hasSize(found);
  }

  /** After 5 s it takes a task within 3.5 s. */
  @ParameterizedTest
  @CsvSource({"pod-a,499,1", "pod-a,500,0", "pod-b,500,1"})
  void aPodThatIsBackTakesTasksAgain(String pod, long back, int found) {
    wants(Optional.empty());
    claimedAt(9000);
    silences.add(new SilentPod(pod, "it hung", at(300), Optional.of(at(back))));
    assertThat(check()).hasSize(found);
  }

  @Test
  void aPodThatWasDrainedIsIdleOnceItHasTakenATaskAgain() {
    wants(Optional.empty());
    claimedAt(9000);
    windows.add(new FaultWindow("drain", "pod-b", at(900), at(2000)));
    assertThat(check()).hasSize(1);
    windows.set(0, new FaultWindow("drain", POD, at(900), at(2000)));
    move("task.pending", "t3", "PENDING", 0, "", 2100);
    assertThat(check()).isEmpty();
    move("task.processing", "t3", "PROCESSING", 1, POD, 2500);
    move("task.pending", "t3", "PENDING", 1, "", 3000);
    assertThat(check()).hasSize(1);
  }

  @Test
  void aPodThatHungAfterItWasDrainedWasIdleAtNeitherTime() {
    wants(Optional.empty());
    claimedAt(9000);
    windows.add(new FaultWindow("drain", POD, at(900), at(2000)));
    move("task.pending", "t3", "PENDING", 0, "", 2100);
    move("task.processing", "t3", "PROCESSING", 1, POD, 6000);
    move("task.pending", "t3", "PENDING", 1, "", 8500);
    silences.add(new SilentPod(POD, "it hung", at(8600), Optional.of(at(8700))));
    assertThat(check()).isEmpty();
  }

  @Test
  void aTaskThatIsOvertakenIsFound() {
    wants(Optional.of("us"));
    asked.set(0, new RequestedTask("r1", "room", false, ProgramEnd.SUCCEEDS, Optional.of("us")));
    claimedAt(2000);
    assertThat(TaskIdleRules.queueOrder(history())).isEmpty();
    transitions.removeLast();
    move("task.processing", "t2", "PROCESSING", 1, POD, 600);
    assertThat(TaskIdleRules.queueOrder(history())).isEmpty();
    transitions.set(1, transition(2, "task.processing", "t1", "PROCESSING", 1, POD, "", 900));
    assertThat(TaskIdleRules.queueOrder(history())).hasSize(1);
    troubles.add(new RecoveryOutage("Redis away", at(100), at(200), false));
    assertThat(TaskIdleRules.queueOrder(history())).isEmpty();
    troubles.clear();
    transitions.removeLast();
    claimedAt(600);
    assertThat(TaskIdleRules.queueOrder(history())).as("elsewhere").isEmpty();
    transitions.removeLast();
    assertThat(TaskIdleRules.queueOrder(history())).as("not yet").isEmpty();
  }

  @Test
  void aTaskThatIsTakenFromALivingPodIsFound() {
    attempts.set(0, attempt("t1", 1, POD, 110, 9000, "0"));
    transitions.set(
        2, transition(3, "task.pending", "t1", "PENDING", 1, "", "its lease ended", 6200));
    assertThat(TaskHolderRules.keptLease(history())).hasSize(1);
    silences.add(new SilentPod(POD, "it hung", at(2000), Optional.of(at(8000))));
    assertThat(TaskHolderRules.keptLease(history())).isEmpty();
  }

  @Test
  void aTaskThatNoPodTakesMayWait() {
    asked.add(new RequestedTask("r2", "room", false, ProgramEnd.NEVER_BEGINS, Optional.empty()));
    claimedAt(9000);
    assertThat(check()).isEmpty();
  }

  @Test
  void aChannelThatIsNotGivenItsTurnIsFound() {
    waits("quiet", Optional.of("us"));
    begin(3, "busy", "us", POD);
    move("task.processing", "t1", "PROCESSING", 1, POD, 1150);
    assertThat(TaskIdleRules.channelTurns(history())).isEmpty();
    transitions.removeLast();
    move("task.processing", "t1", "PROCESSING", 1, POD, 1300);
    assertThat(TaskIdleRules.channelTurns(history())).hasSize(1);
    transitions.set(2, transition(3, "task.processing", "b0", "PROCESSING", 1, POD, "", 2600));
    assertThat(TaskIdleRules.channelTurns(history())).isEmpty();
  }

  @Test
  void aTaskOfNoRegionThatGetsNoShareIsFound() {
    waits("free", Optional.empty());
    begin(6, "busy", "us", POD);
    move("task.processing", "t1", "PROCESSING", 1, POD, 1450);
    assertThat(TaskIdleRules.sharesOfNoRegion(history())).isEmpty();
    transitions.removeLast();
    move("task.processing", "t1", "PROCESSING", 1, POD, 1600);
    assertThat(TaskIdleRules.sharesOfNoRegion(history())).hasSize(1);
    transitions.set(2, transition(3, "task.processing", "b0", "PROCESSING", 1, POD, "", 2600));
    assertThat(TaskIdleRules.sharesOfNoRegion(history())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "busy,us,pod-a,pod-a,1",
    "busy,us,pod-a,pod-b,0",
    "busy,us,pod-b,pod-a,0",
    "busy,eu,pod-b,pod-a,0",
    "quiet,us,pod-a,pod-a,0",
  })
  void onlyOtherChannelsOfTheRegionTakeTurnsOnItsPods(
      String channel, String region, String pod, String own, int found) {
    waits("quiet", Optional.of("us"));
    begin(3, channel, region, pod);
    move("task.processing", "t1", "PROCESSING", 1, own, 1300);
    assertThat(TaskIdleRules.channelTurns(history())).hasSize(found);
  }

  /** The second task of its channel comes at 500; the first is begun then or later. */
  @ParameterizedTest
  @CsvSource({"500,1", "501,0"})
  void aTaskIsNextOnceNoOtherOfItsChannelWaits(long before, int found) {
    waits("quiet", Optional.of("us"));
    move("task.processing", "t1", "PROCESSING", 1, POD, before);
    asked.add(new RequestedTask("r2", "quiet", false, ProgramEnd.SUCCEEDS, Optional.of("us")));
    move("task.pending", "t2", "PENDING", 0, "", 500);
    begin(3, "busy", "us", POD);
    move("task.processing", "t2", "PROCESSING", 1, POD, 1300);
    assertThat(TaskIdleRules.channelTurns(history())).hasSize(found);
    troubles.add(new RecoveryOutage("Redis away", at(600), at(700), false));
    assertThat(TaskIdleRules.channelTurns(history())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"pod-a,pod-a,0", "pod-b,pod-a,1", "pod-b,pod-b,0"})
  void onlyWhatPodsOfTheRegionBeginCountsForItsShare(String none, String pod, int found) {
    waits("free", Optional.empty());
    wants(Optional.empty());
    move("task.pending", "t2", "PENDING", 0, "", 500);
    move("task.processing", "t2", "PROCESSING", 1, none, 1050);
    begin(6, "busy", "us", pod);
    move("task.processing", "t1", "PROCESSING", 1, POD, 1600);
    assertThat(TaskIdleRules.sharesOfNoRegion(history())).hasSize(found);
  }

  /** The first task alone waits. */
  private void waits(String channel, Optional<String> region) {
    asked.clear();
    transitions.clear();
    asked.add(new RequestedTask("r1", channel, false, ProgramEnd.SUCCEEDS, region));
    move("task.pending", "t1", "PENDING", 0, "", 0);
  }

  /** So many tasks come at 10, and are begun from 1010 on, one each 100 ms. */
  private void begin(int count, String channel, String region, String pod) {
    for (int i = 0; i < count; i++) {
      String id = "b" + i;
      asked.add(
          new RequestedTask("rb" + i, channel, false, ProgramEnd.SUCCEEDS, Optional.of(region)));
      rows.add(row(id, "rb" + i, "SUCCESS", 1, "", 0, 9000));
      move("task.pending", id, "PENDING", 0, "", 10);
      move("task.processing", id, "PROCESSING", 1, pod, 1010 + 100 * i);
    }
  }

  private void wants(Optional<String> region) {
    asked.add(new RequestedTask("r2", "room", false, ProgramEnd.SUCCEEDS, region));
  }

  private void claimedAt(long millis) {
    move("task.processing", "t2", "PROCESSING", 1, "pod-b", millis);
  }

  private void move(String type, String id, String state, int attempt, String pod, long millis) {
    transitions.add(transition(transitions.size() + 1, type, id, state, attempt, pod, "", millis));
  }

  private List<?> check() {
    return TaskIdleRules.idlePod(history());
  }

  private TaskHistory history() {
    return new TaskHistory(
        asked,
        List.of(),
        List.of(),
        attempts,
        transitions,
        Streams.NONE,
        rows,
        List.of(),
        silences,
        List.of(),
        troubles,
        List.of(),
        new TaskLimits(
            Duration.ofSeconds(10),
            Duration.ofSeconds(3),
            Duration.ofSeconds(6),
            Duration.ofSeconds(2),
            3),
        new TaskHistory.TaskEvidence(
            windows,
            Map.of(POD, "us", "pod-b", "eu"),
            Duration.ofSeconds(3),
            1,
            Duration.ofSeconds(2),
            List.of()));
  }
}
