package io.convoke.chaos.dispatch.rules;

import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.at;
import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.attempt;
import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.row;
import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.transition;
import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.waits;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.dispatch.rules.TaskHistory.RecoveryOutage;
import io.convoke.chaos.dispatch.rules.TaskHistory.SilentPod;
import io.convoke.chaos.dispatch.rules.TaskHistory.StopCall;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When tasks may move on, and when they must. */
final class TaskTimeRulesTest extends CorrectTasks {
  @Test
  void aTaskEnqueuedLaterHasWaitedSinceItWasAccepted() {
    transitions.set(9, transition(10, "task.pending", "t3", "PENDING", 0, "", "", 9000));
    transitions.set(
        10, transition(11, "task.timeout", "t3", "TIMEOUT", 0, "", "waited longer than", 10_036));
    assertThat(check())
        .noneMatch(ruleViolation -> ruleViolation.text().contains("it had waited for"));
  }

  @Test
  void aRebuiltTaskKeepsItsWaitingTime() {
    transitions.add(10, transition(13, "task.pending", "t3", "PENDING", 0, "", "", 6000));
    transitions.set(
        11, transition(14, "task.timeout", "t3", "TIMEOUT", 0, "", "waited longer than", 10_050));
    assertThat(check())
        .noneMatch(ruleViolation -> ruleViolation.text().contains("it had waited for"));
  }

  @Test
  void aLateClaimAndAnEarlyTimeoutAreFound() {
    transitions.set(
        10, transition(11, "task.processing", "t3", "PROCESSING", 1, OTHER, "", 10_100));
    found(ViolationKind.LATE, "it had waited for PT10.06S");
    transitions.set(
        10, transition(11, "task.timeout", "t3", "TIMEOUT", 0, "", "waited longer than", 9000));
    found(ViolationKind.ILLEGAL, "it had waited for PT8.965S only");
  }

  @Test
  void aWindowBeginsAnewAndItsEndIsMarkedSoon() {
    transitions.set(2, waits(3, "t1", 1, "", 4200, 10));
    found(ViolationKind.ILLEGAL, "it has no window of its own");
    transitions.set(2, waits(3, "t1", 1, "its pod was shut down", 4200, 5300));
    found(ViolationKind.ILLEGAL, "its pod gave it back, it waits");
    evidence = evidence(List.of());
    transitions.set(
        10, transition(11, "task.timeout", "t3", "TIMEOUT", 0, "", "waited longer than", 13_100));
    found(ViolationKind.LATE, "it is marked after PT13.065S only");
  }

  @Test
  void aClaimAfterAttemptsThatRedisLostIsNotLate() {
    transitions.set(
        10, transition(11, "task.processing", "t3", "PROCESSING", 2, OTHER, "", 12_100));
    found(ViolationKind.LATE, "it had waited for PT12.06S");
    troubles.add(new RecoveryOutage("Redis lost all data", at(6000), at(6100), true));
    assertThat(check()).noneMatch(found -> found.text().contains("it had waited for"));
    transitions.set(
        10, transition(11, "task.processing", "t3", "PROCESSING", 1, OTHER, "", 12_100));
    found(ViolationKind.LATE, "it had waited for PT12.06S");
  }

  @Test
  void aDelayBeforeTheNextTryIsNotTimeInTheQueue() {
    transitions.set(9, waits(10, "t3", 0, "", 40, 4040));
    transitions.set(
        10, transition(11, "task.processing", "t3", "PROCESSING", 1, OTHER, "", 14_030));
    assertThat(check()).noneMatch(found -> found.text().contains("it had waited for"));
    transitions.set(
        10, transition(11, "task.processing", "t3", "PROCESSING", 1, OTHER, "", 14_050));
    found(ViolationKind.LATE, "it had waited for PT10.01S");
    rows.set(2, row("t3", "r3", "FAILED", 1, "it cannot be done with ***", 41, 1110));
    transitions.set(10, transition(11, "task.processing", "t3", "PROCESSING", 1, OTHER, "", 4000));
    found(ViolationKind.ILLEGAL, "its retry delay ends at " + at(4040));
  }

  @Test
  void aWaitBeforeTheNextTryOfAnotherLengthIsFound() {
    transitions.add(waits(13, "t3", 1, "not now", 2000, 3050));
    transitions.add(waits(14, "t3", 2, "not now", 4000, 6100));
    assertThat(check()).noneMatch(found -> found.text().contains("it waits for"));
    transitions.set(13, waits(14, "t3", 2, "not now", 4000, 5000));
    found(ViolationKind.ILLEGAL, "it waits for PT1S, not PT2S to PT2.2S");
  }

  @Test
  void anUnclaimedTaskOfADeadPodIsFound() {
    transitions.set(
        2, transition(3, "task.pending", "t1", "PENDING", 1, "", "its lease ended", 6100));
    found(ViolationKind.LATE, "reassigned 2100 ms after its death was detectable");
    troubles.add(new RecoveryOutage("no server is up", at(3900), at(4200), false));
    assertThat(check()).noneMatch(ruleViolation -> ruleViolation.kind() == ViolationKind.LATE);
  }

  /** The pod reconnected and continued its task. */
  @Test
  void aPodThatReconnectsInTimeKeepsItsTask() {
    transitions.set(2, transition(3, "task.pending", "t1", "PENDING", 1, "", "not now", 6100));
    silences.set(0, new SilentPod(POD, "it was silenced", at(1000), Optional.of(at(6001))));
    found(ViolationKind.LATE, "reassigned 2100 ms after its death was detectable");
    silences.set(0, new SilentPod(POD, "it was silenced", at(1000), Optional.of(at(6000))));
    assertThat(check()).noneMatch(ruleViolation -> ruleViolation.kind() == ViolationKind.LATE);
  }

  /** Redis may have lost the transition; a later attempt proves it. */
  @Test
  void aLaterAttemptProvesThatADeadPodsTaskWasReassigned() {
    transitions.remove(2);
    transitions.remove(2);
    transitions.set(2, transition(5, "task.success", "t1", "SUCCESS", 2, OTHER, "", 14_500));
    found(ViolationKind.LATE, "reassigned 10500 ms after its death was detectable");
    troubles.add(new RecoveryOutage("Redis lost all data", at(5200), at(6000), true));
    assertThat(check()).noneMatch(ruleViolation -> ruleViolation.kind() == ViolationKind.LATE);
    attempts.remove(1);
    found(ViolationKind.LATE, "reassigned 10500 ms after its death was detectable");
  }

  @Test
  void aStartAfterAStopIsFound() {
    stops.add(new StopCall("t1", 0, 202, at(4205), at(4210)));
    found(ViolationKind.ILLEGAL, "was claimed after StopCall[id=t1");
  }

  @Test
  void aLostStopIsFound() {
    stops.add(new StopCall("t3", 0, 202, at(50), at(60)));
    found(ViolationKind.ILLEGAL, "does not end as stopped by StopCall[id=t3");
  }

  @Test
  void aTaskOfAPodThatIsSilentForAMomentIsNotTaken() {
    transitions.set(2, waits(3, "t1", 1, "its pod pod-a died", 2600, 2600));
    assertThat(check()).noneMatch(it -> it.rule().equals("SilentPodRule"));
    transitions.set(2, waits(3, "t1", 1, "its pod pod-a died", 2400, 2400));
    found(ViolationKind.ILLEGAL, "its pod pod-a is silent since");
  }

  @Test
  void aTaskThatGetsAnotherWindowFromAnEmptiedRedisIsFound() {
    evidence = evidence(List.of(new FaultWindow("Redis emptied", "redis", at(5000), at(6000))));
    transitions.set(10, waits(11, "t3", 0, "", 5500, 5500));
    transitions.set(
        11, transition(12, "task.timeout", "t3", "TIMEOUT", 0, "", "waited longer than", 12_000));
    assertThat(check()).noneMatch(it -> it.text().contains("is marked after"));
    transitions.set(
        11, transition(12, "task.timeout", "t3", "TIMEOUT", 0, "", "waited longer than", 15_500));
    found(ViolationKind.LATE, "it is marked after PT15.46");
  }

  @Test
  void twoMillisecondsMoreOrLessThanTheWindowAreAllowed() {
    transitions.set(
        10, transition(11, "task.processing", "t3", "PROCESSING", 1, OTHER, "", 10_042));
    assertThat(timed("it had waited for")).isEmpty();
    transitions.set(
        10, transition(11, "task.processing", "t3", "PROCESSING", 1, OTHER, "", 10_043));
    assertThat(timed("it had waited for")).hasSize(1);
    expiresAt(10_033);
    assertThat(timed("it had waited for")).isEmpty();
    expiresAt(10_032);
    assertThat(timed("it had waited for")).hasSize(1);
  }

  /** It waits since 35 for 10 s, and has 3 s more until it is marked; the fault lasts a second. */
  @ParameterizedTest
  @CsvSource({
    "13035,pod-a,5000,0",
    "13036,pod-a,5000,1",
    "13036,server-1,13035,0",
    "13036,server-1,13036,1",
    "13036,redis,-964,0",
    "13036,redis,-965,1",
    "13036,postgres,5000,0",
  })
  void theEndOfAWindowIsMarkedSoonUnlessAServerOrStoreIsDisturbed(
      long marked, String target, long from, int found) {
    evidence = evidence(List.of(new FaultWindow("hang", target, at(from), at(from + 1000))));
    expiresAt(marked);
    assertThat(timed("it is marked after")).hasSize(found);
  }

  @ParameterizedTest
  @CsvSource({"999,1", "1000,0", "1200,0", "1201,1"})
  void theWaitBeforeTheSecondTryIsASecondAndUpToTwoTenthsMore(long wait, int found) {
    transitions.add(waits(13, "t3", 1, "not now", 2000, 2000 + wait));
    assertThat(timed("it waits for")).hasSize(found);
  }

  @ParameterizedTest
  @CsvSource({"2500,1", "2501,0"})
  void aTaskThatARebuildRecordsAgainMayHaveLostItsRetryDelay(long lost, int found) {
    transitions.add(waits(13, "t3", 1, "not now", 2000, 6000));
    transitions.add(waits(14, "t3", 1, "not now", 2500, 2500));
    transitions.add(transition(15, "task.processing", "t3", "PROCESSING", 2, OTHER, "", 2600));
    troubles.add(new RecoveryOutage("Redis emptied", at(2400), at(lost), true));
    assertThat(timed("its retry delay ends at")).hasSize(found);
  }

  @Test
  void aTaskThatIsEnqueuedLaterHasNoNewWindow() {
    transitions.set(9, waits(10, "t3", 0, "", 900, 36));
    assertThat(timed("it has no window of its own")).isEmpty();
  }

  private void expiresAt(long millis) {
    transitions.set(
        10, transition(11, "task.timeout", "t3", "TIMEOUT", 0, "", "waited longer than", millis));
  }

  private List<RuleViolation> timed(String text) {
    return TaskTimeRules.queueTimeout(history()).stream()
        .filter(it -> it.text().contains(text))
        .toList();
  }

  /** Its pod is silent since 1000 and counts as dead after 3 s; 2 s later its task is elsewhere. */
  @ParameterizedTest
  @CsvSource({
    "100,1000,false,6000",
    "6000,7000,false,6000",
    "5999,7000,false,12000",
    "3900,4200,false,9200",
    "3900,4200,true,12200",
  })
  void theTimeToMoveOnBeginsAgainAfterAnOutage(long from, long to, boolean forgets, long latest) {
    troubles.add(new RecoveryOutage("no server is up", at(from), at(to), forgets));
    assertThat(strandedUntil(latest)).isEmpty();
    assertThat(strandedUntil(latest + 1)).hasSize(1);
  }

  @Test
  void aTaskThatIsToStopHasNotMovedOn() {
    transitions.add(2, transition(13, "task.stopping", "t1", "PROCESSING", 1, POD, "", 2000));
    transitions.remove(3);
    assertThat(TaskTimeRules.taken(history()))
        .singleElement()
        .satisfies(it -> assertThat(it.moved()).contains(at(4300)));
  }

  @Test
  void onlyATaskThatMovesOnByTheDeathOfItsPodIsMeasured() {
    movesOnAt(1000);
    assertThat(TaskTimeRules.taken(history())).as("before the silence").isEmpty();
    movesOnAt(3999);
    assertThat(TaskTimeRules.taken(history())).hasSize(1);
    assertThat(TaskChecker.stranded(history())).as("before its death").isEmpty();
    movesOnAt(4000);
    assertThat(TaskChecker.stranded(history())).containsExactly(Duration.ZERO);
    silences.set(0, new SilentPod(POD, "it hung", at(1000), Optional.of(at(4000))));
    assertThat(TaskChecker.stranded(history())).as("its pod was back").isEmpty();
    silences.set(0, new SilentPod(POD, "it hung", at(1000), Optional.of(at(4001))));
    assertThat(TaskChecker.stranded(history())).hasSize(1);
    troubles.add(new RecoveryOutage("Redis away", at(3000), at(3100), false));
    assertThat(TaskChecker.stranded(history())).as("with an outage").isEmpty();
  }

  /** What is found if the task moves on then, and its next attempt begins at once. */
  private List<RuleViolation> strandedUntil(long millis) {
    movesOnAt(millis);
    attempts.set(1, attempt("t1", 2, OTHER, millis, millis + 100, "0"));
    return TaskTimeRules.strandedTask(history());
  }

  private void movesOnAt(long millis) {
    transitions.set(
        2, transition(3, "task.pending", "t1", "PENDING", 1, "", "its lease ended", millis));
  }

  @ParameterizedTest
  @CsvSource({"pod-b,1000,1", "pod-a,-3501,1", "pod-a,-3500,0"})
  void anEarlierSilenceOfAPodCountsForALease(String pod, long back, int found) {
    silences.add(new SilentPod(pod, "it hung", at(-9000), Optional.of(at(back))));
    transitions.set(2, waits(3, "t1", 1, "its pod pod-a died", 2499, 2499));
    assertThat(TaskTimeRules.silentPod(history())).hasSize(found);
  }

  /** Redis was away until 4211 and is away again from a time on. */
  @ParameterizedTest
  @CsvSource({"8211,8211,0", "8211,8212,1", "8210,13000,0", "8210,13001,1"})
  void aStopIsAppliedAfterTheLastOutageThatTouchesIt(long again, long claimed, int found) {
    stops.add(new StopCall("t1", 0, 202, at(4205), at(4210)));
    troubles.add(new RecoveryOutage("Redis away", at(4000), at(4211), false));
    troubles.add(new RecoveryOutage("Redis away", at(again), at(9000), false));
    transitions.set(3, transition(4, "task.processing", "t1", "PROCESSING", 2, OTHER, "", claimed));
    assertThat(TaskTimeRules.stoppedTask(history()))
        .filteredOn(it -> it.text().contains("was claimed after"))
        .hasSize(found);
  }

  @ParameterizedTest
  @CsvSource({"1110,1", "1111,0"})
  void aTaskThatHadEndedBeforeItsStopEndsAsItDid(long answered, int found) {
    stops.add(new StopCall("t3", 0, 202, at(1100), at(answered)));
    assertThat(TaskTimeRules.stoppedTask(history())).hasSize(found);
  }

  @ParameterizedTest
  @CsvSource({"3000,4000,1", "3000,4001,0", "5014,6000,0", "5015,6000,1"})
  void aTaskMayExpireThoughItsStopIsAcknowledgedWhileRedisIsAway(long from, long to, int found) {
    rows.set(2, row("t3", "r3", "TIMEOUT", 0, "waited longer than", 35, 10_040));
    stops.add(new StopCall("t3", 0, 202, at(5000), at(5010)));
    troubles.add(new RecoveryOutage("Redis away", at(from), at(to), false));
    assertThat(TaskTimeRules.stoppedTask(history())).hasSize(found);
  }
}
