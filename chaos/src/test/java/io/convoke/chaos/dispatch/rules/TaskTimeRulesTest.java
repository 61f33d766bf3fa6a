package io.convoke.chaos.dispatch.rules;

import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.at;
import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.row;
import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.transition;
import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.waits;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.dispatch.rules.TaskHistory.RecoveryOutage;
import io.convoke.chaos.dispatch.rules.TaskHistory.SilentPod;
import io.convoke.chaos.dispatch.rules.TaskHistory.StopCall;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

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
}
