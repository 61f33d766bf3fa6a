package io.convoke.chaos.dispatch.rules;

import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.answer;
import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.at;
import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.attempt;
import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.row;
import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.transition;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.dispatch.rules.TaskHistory.DrainedPod;
import io.convoke.chaos.dispatch.rules.TaskHistory.FinalTaskView;
import io.convoke.chaos.dispatch.rules.TaskHistory.ObservedAttempt;
import io.convoke.chaos.dispatch.rules.TaskHistory.RecoveryOutage;
import io.convoke.chaos.dispatch.rules.TaskHistory.RequestedTask;
import io.convoke.chaos.dispatch.rules.TaskHistory.SilentPod;
import io.convoke.chaos.dispatch.rules.TaskHistory.StopCall;
import io.convoke.chaos.dispatch.rules.TaskHistory.TaskRow;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Each rule finds a history that violates it; a correct history violates none. */
final class TaskCheckerTest extends CorrectTasks {
  @Test
  void aCorrectHistoryViolatesNoRule() {
    assertThat(check()).isEmpty();
    assertThat(TaskChecker.stranded(history())).containsExactly(Duration.ofMillis(200));
  }

  @Test
  void anAcceptedTaskThatIsMissingIsLost() {
    answers.add(answer("r4", 202, "t4", 60));
    found(ViolationKind.LOST, "the database has no such task");
  }

  @Test
  void workThatIsDoneAgainIsFoundUnlessItsResultWasLost() {
    transitions.add(transition(13, "task.processing", "t3", "PROCESSING", 2, POD, "", 9000));
    assertThat(doneAgain()).hasSize(1);
    evidence =
        evidence(
            List.of(
                new FaultWindow(
                    "Redis emptied",
                    FaultTimeline.REDIS + FaultTimeline.FORGOT,
                    at(2000),
                    at(4000))));
    assertThat(doneAgain()).isEmpty();
    evidence = evidence(List.of());
    silences.add(new SilentPod(OTHER, "it was killed", at(1050), Optional.empty()));
    assertThat(doneAgain()).isEmpty();
  }

  private List<RuleViolation> doneAgain() {
    return check().stream().filter(it -> it.rule().equals("FinishedWorkRule")).toList();
  }

  @Test
  void aRequestWithTwoTasksIsFound() {
    rows.add(row("t9", "r1", "SUCCESS", 2, "", 5, 5010));
    found(ViolationKind.DUPLICATED, "request r1 has several tasks");
    answers.add(answer("r1", 202, "t9", 60));
    found(ViolationKind.DUPLICATED, "request r1 was answered two tasks");
    found(ViolationKind.DUPLICATED, "request r1 was reported as new twice");
  }

  @Test
  void aTaskWithoutARequestIsInvented() {
    asked.removeIf(one -> one.request().equals("r3"));
    found(ViolationKind.INVENTED, "no request for it");
  }

  @Test
  void aTaskThatHasNotEndedIsOpen() {
    rows.set(
        2, new TaskRow("t3", "r3", "c", false, "PENDING", 0, false, "", at(35), Optional.empty()));
    found(ViolationKind.OPEN, "has not ended");
    left.add("Redis still has convoke:queue:global");
    found(ViolationKind.OPEN, "Redis still has");
  }

  @Test
  void aResponseOutsideTheContractIsFound() {
    answers.add(answer("r1", 409, "", 60));
    assertThat(check()).isEmpty();
    answers.add(answer("r2", 409, "", 60));
    found(ViolationKind.REFUSED, "request=r2");
    stops.add(new StopCall("t2", 0, 404, at(700), at(710)));
    found(ViolationKind.REFUSED, "status=404");
  }

  @Test
  void anAcceptedStaleReportIsFound() {
    // The first holder's report ended the second attempt, which continued for a while.
    attempts.set(1, attempt("t1", 2, OTHER, 4310, 7000, "0"));
    found(ViolationKind.ILLEGAL, "its holder did not report it (exit code 0)");
  }

  @Test
  void anEndWithoutACauseIsFound() {
    attempts.remove(3);
    found(ViolationKind.ILLEGAL, "that attempt never began");
    set(11, "task.success", "SUCCESS", 1, OTHER, "");
    found(ViolationKind.ILLEGAL, "its program fails");
    set(11, "task.failed", "FAILED", 1, OTHER, "gave up after 1 attempts: x");
    found(ViolationKind.ILLEGAL, "it had attempts left");
    set(11, "task.failed", "FAILED", 1, OTHER, "stopped");
    found(ViolationKind.ILLEGAL, "no stop was requested");
    set(11, "task.timeout", "TIMEOUT", 1, OTHER, "");
    found(ViolationKind.ILLEGAL, "no reason is recorded");
    set(8, "task.success", "SUCCESS", 0, OTHER, "");
    found(ViolationKind.ILLEGAL, "it never ran");
    set(4, "task.failed", "FAILED", 2, OTHER, "it cannot be done with ***");
    found(ViolationKind.ILLEGAL, "its program does not fail");
    set(2, "task.pending", "PENDING", 1, "", "not now");
    found(ViolationKind.ILLEGAL, "its holder did not report it (exit code 75)");
  }

  @Test
  void aTaskGivenUpAfterItsLastAttemptAndOneThatWaitedTooLongHaveACause() {
    set(11, "task.failed", "FAILED", LIMITS.attempts(), OTHER, "gave up after 3 attempts: x");
    assertThat(TaskResultRules.outcomeByHolder(history())).isEmpty();
    set(11, "task.failed", "FAILED", LIMITS.attempts() - 1, OTHER, "gave up after 2 attempts: x");
    assertThat(TaskResultRules.outcomeByHolder(history())).hasSize(1);
    set(11, "task.timeout", "TIMEOUT", 0, "", "waited longer than PT10S");
    assertThat(TaskResultRules.outcomeByHolder(history())).isEmpty();
  }

  @Test
  void twoHoldersOfOneAttemptAreFound() {
    attempts.add(attempt("t1", 2, POD, 4320, 4900, "stopped"));
    found(ViolationKind.DUPLICATED, "one attempt has two holders");
    found(ViolationKind.INVENTED, "the journal has another holder");
  }

  @Test
  void aClaimThatRedisForgotWhileTheServerThatHadItHungIsInNoJournal() {
    attempts.add(attempt("t3", 9, POD, 9000, 9100, "stopped"));
    String unknown = "the journal has another holder";
    found(ViolationKind.INVENTED, unknown);
    troubles.add(new RecoveryOutage("Redis emptied", at(16_000), at(16_100), true));
    found(ViolationKind.INVENTED, unknown);
    evidence =
        evidence(List.of(new FaultWindow(FaultTimeline.HANG, "server-2", at(8000), at(20_000))));
    assertThat(check()).noneMatch(it -> it.text().contains(unknown));
  }

  @Test
  void afterLostWritesAnAttemptNumberMayRepeatOnceItsHolderHasEnded() {
    troubles.add(new RecoveryOutage("Redis lost power", at(4000), at(4400), true));
    attempts.set(1, attempt("t1", 2, POD, 4305, 4309, "0"));
    attempts.add(attempt("t1", 2, OTHER, 4310, 5000, "0"));
    assertThat(check()).isEmpty();
    attempts.set(1, attempt("t1", 2, POD, 4305, 4400, "0"));
    found(ViolationKind.DUPLICATED, "one attempt has two holders");
    attempts.set(
        1, new ObservedAttempt("t1", 2, "pod-0.1", POD, at(4305), Optional.empty(), "", "0"));
    found(ViolationKind.DUPLICATED, "one attempt has two holders");
  }

  @Test
  void anAttemptThatBeganAfterTheEndIsFound() {
    attempts.add(attempt("t3", 2, POD, 9000, 9100, "0"));
    found(ViolationKind.INVENTED, "the journal has another holder");
    found(ViolationKind.ILLEGAL, "began after the task had ended");
  }

  @Test
  void aTransitionThatTheLifecycleLacksIsFound() {
    set(2, "task.processing", "PROCESSING", 1, OTHER, "");
    found(ViolationKind.ILLEGAL, "no such transition from PROCESSING");
  }

  @Test
  void aTransitionAfterTheEndIsFound() {
    transitions.add(transition(20, "task.pending", "t3", "PENDING", 1, "", "its pod died", 2000));
    found(ViolationKind.ILLEGAL, "it had ended as FAILED");
    found(ViolationKind.GAP, "differs from its last journal entry");
  }

  @Test
  void aTaskOfWhichTheJournalHasNothingIsFound() {
    transitions.removeIf(it -> it.id().equals("t3"));
    found(ViolationKind.GAP, "the journal has no transition of it");
  }

  @Test
  void attemptsThatDoNotCountUpAreFound() {
    set(3, "task.processing", "PROCESSING", 1, OTHER, "");
    found(ViolationKind.COUNT, "the attempt before was 1");
    set(3, "task.processing", "PROCESSING", 3, OTHER, "");
    found(ViolationKind.COUNT, "the attempt before was 1");
  }

  @Test
  void aTaskStoppedBeforeItWasEnqueuedHasOneTransition() {
    asked.add(new RequestedTask("r6", "room", false, RequestedTask.ProgramEnd.SUCCEEDS));
    stops.add(new StopCall("t6", 0, 202, at(50), at(60)));
    transitions.add(transition(13, "task.failed", "t6", "FAILED", 0, "", "stopped", 2100));
    rows.add(row("t6", "r6", "FAILED", 0, "stopped", 45, 2100));
    addStream();
    assertThat(check()).isEmpty();
    transitions.set(
        12,
        transition(13, "task.failed", "t6", "FAILED", 0, "", "it cannot be done with ***", 2100));
    found(ViolationKind.ILLEGAL, "no such transition from ");
  }

  @Test
  void aStoppingTaskIsNotRequeued() {
    set(8, "task.pending", "PENDING", 1, "", "its pod died");
    found(ViolationKind.ILLEGAL, "no such transition from STOPPING");
  }

  @Test
  void afterLostDataTransitionsMayBeMissing() {
    transitions.remove(1);
    transitions.remove(1);
    addStream();
    found(ViolationKind.COUNT, "the attempt before was 0");
    troubles.add(new RecoveryOutage("Redis lost all data", at(900), at(4400), true));
    assertThat(check()).isEmpty();
  }

  @Test
  void aServerWithAnotherStateIsFound() {
    shown.set(0, new FinalTaskView("t1", 0, 200, "FAILED", 2, "", List.of(1L, 2L, 3L, 4L, 5L)));
    found(ViolationKind.GAP, "the database has");
    shown.set(0, new FinalTaskView("t8", 0, 404, "", 0, "", List.of()));
    found(ViolationKind.GAP, "the database has Optional.empty");
    shown.set(0, new FinalTaskView("t1", 0, 200, "SUCCESS", 2, "", List.of(1L, 2L)));
    found(ViolationKind.GAP, "the journal has [1, 2, 3, 4, 5]");
  }

  @Test
  void aStreamWithAGapOrOutOfOrderIsFound() {
    streamed.remove(Long.valueOf(4));
    found(ViolationKind.GAP, "did not deliver SequencedEvent[seq=4");
    streamed.add(3L);
    found(ViolationKind.SEQUENCE, "delivered 3 after 12");
    streamed.add(99L);
    found(ViolationKind.GAP, "delivered 99, the journal does not have it");
  }

  @Test
  void anotherErrorOrOneAttemptTooManyIsFound() {
    set(11, "task.failed", "FAILED", 1, OTHER, "it failed");
    found(ViolationKind.ILLEGAL, "its program wrote: it cannot be done with ***");
    for (int i = 1; i <= 3; i++) {
      transitions.add(transition(12 + i, "task.pending", "t3", "PENDING", i, "", "not now", 2000));
    }
    found(ViolationKind.COUNT, "it had no attempt left: [1, 2, 3]");
    troubles.add(new RecoveryOutage("Redis emptied", at(1900), at(2100), true));
    assertThat(check()).noneMatch(it -> it.text().contains("it had no attempt left"));
  }

  @Test
  void moreTriesThanAreAllowedAreFoundAlsoWhereRedisForgotSome() {
    String many = "its program asked for another try 4 times";
    for (int i = 1; i <= 3; i++) {
      attempts.add(attempt("t3", i, OTHER, 2000, 2100, "75"));
    }
    assertThat(check()).noneMatch(it -> it.text().contains("asked for another try"));
    attempts.add(attempt("t3", 4, OTHER, 2000, 2100, "75"));
    found(ViolationKind.COUNT, many);
    troubles.add(new RecoveryOutage("Redis emptied", at(500), at(510), true));
    assertThat(check()).noneMatch(it -> it.text().contains(many));
  }

  @Test
  void aStopWhileRedisWasAwayHoldsOnceItIsBack() {
    troubles.add(new RecoveryOutage("Redis away", at(400), at(600), false));
    attempts.set(2, attempt("t2", 1, OTHER, 210, 7500, "stopped"));
    assertThat(check()).noneMatch(it -> it.text().contains("runs on"));
    attempts.set(2, attempt("t2", 1, OTHER, 210, 7700, "stopped"));
    found(ViolationKind.OPEN, "runs on although its task was over at");
  }

  /** A rebuild repeats the event of a waiting task with its former error. */
  @Test
  void anEventRepeatedByARebuildNeedsNoReport() {
    set(2, "task.pending", "PENDING", 1, "", "not now");
    attempts.remove(0);
    found(ViolationKind.ILLEGAL, "that attempt never began");
    troubles.add(new RecoveryOutage("Redis was killed", at(-16_000), at(-12_000), true));
    found(ViolationKind.ILLEGAL, "that attempt never began");
    troubles.set(0, new RecoveryOutage("Redis was killed", at(-16_000), at(-3000), true));
    assertThat(check()).noneMatch(it -> it.text().contains("never began"));
  }

  /** A draining pod runs its task to the end; without a drain the rule does not apply. */
  @Test
  void aClaimByADrainingPodIsFound() {
    drained.add(new DrainedPod(OTHER, at(1200), at(4200)));
    assertThat(check()).isEmpty();
    drained.add(new DrainedPod(OTHER, at(2000), at(5000)));
    found(ViolationKind.ILLEGAL, "went to a draining pod: DrainedPod[pod=pod-b");
    silences.add(new SilentPod(OTHER, "it hung", at(1000), Optional.empty()));
    assertThat(check()).noneMatch(ruleViolation -> ruleViolation.text().contains("DrainedPod"));
    silences.removeLast();
    silences.add(
        new SilentPod(OTHER, "it hung too late to count as dead", at(1400), Optional.empty()));
    found(ViolationKind.ILLEGAL, "went to a draining pod: DrainedPod[pod=pod-b");
    silences.removeLast();
    silences.add(new SilentPod(OTHER, "it was back before", at(100), Optional.of(at(900))));
    found(ViolationKind.ILLEGAL, "went to a draining pod: DrainedPod[pod=pod-b");
    silences.removeLast();
    troubles.add(new RecoveryOutage("Redis lost all data", at(2500), at(2600), true));
    assertThat(check()).noneMatch(ruleViolation -> ruleViolation.text().contains("DrainedPod"));
  }

  @Test
  void aClaimBeforeTheDrainMayBeRepeated() {
    drained.add(new DrainedPod(OTHER, at(1050), at(1095)));
    transitions.add(transition(13, "task.processing", "t3", "PROCESSING", 2, OTHER, "", 1090));
    found(ViolationKind.ILLEGAL, "went to a draining pod: DrainedPod[pod=pod-b");
    transitions.set(
        transitions.size() - 1,
        transition(13, "task.processing", "t3", "PROCESSING", 1, OTHER, "", 1090));
    assertThat(check()).noneMatch(ruleViolation -> ruleViolation.text().contains("DrainedPod"));
  }

  @Test
  void twoTasksOfAUniqueChannelAreFound() {
    asked.add(new RequestedTask("r5", "c", true, RequestedTask.ProgramEnd.SUCCEEDS));
    rows.add(
        new TaskRow(
            "t5", "r5", "c", true, "FAILED", 0, true, "stopped", at(3000), Optional.of(at(3001))));
    found(ViolationKind.DUPLICATED, "a unique channel has two tasks");
    rows.set(3, row("t5", "r5", "FAILED", 0, "stopped", 5009, 6000));
    assertThat(TaskResultRules.uniqueChannel(history())).as("still open").hasSize(1);
    rows.set(3, row("t5", "r5", "FAILED", 0, "stopped", 5010, 6000));
    assertThat(TaskResultRules.uniqueChannel(history())).isEmpty();
  }

  @Test
  void aRefusalWithoutAnInjectedFaultIsFound() {
    evidence = evidence(List.of());
    found(ViolationKind.REFUSED, "were refused although no fault was injected then");
  }

  @Test
  void aTaskThatLeavesItsRegionEarlyIsFoundUnlessThatHasADeadPod() {
    asked.set(
        2,
        new RequestedTask("r3", "room", false, RequestedTask.ProgramEnd.FAILS, Optional.of("us")));
    found(ViolationKind.ILLEGAL, "went to a pod in eu after 960 ms, it was for us");
    silences.set(0, new SilentPod(POD, "it was killed", at(900), Optional.empty()));
    assertThat(check()).isEmpty();
  }

  @Test
  void moreProgramsThanSlotsAreFound() {
    attempts.set(3, attempt("t3", 1, OTHER, 590, 1100, "1"));
    assertThat(check()).isEmpty();
    attempts.set(3, attempt("t3", 1, OTHER, 500, 1100, "1"));
    found(ViolationKind.COUNT, "runs 2 programs at once");
    found(ViolationKind.COUNT, "have one slot");
  }

  @Test
  void aTaskThatIsAcceptedWithoutItsTableIsFound() {
    FaultWindow away = new FaultWindow(FaultTimeline.POSTGRES_AWAY, "postgres", at(-500), at(3000));
    assertThat(accepted(-500, 5, away)).isEmpty();
    assertThat(accepted(-500, 2000, away))
        .hasSize(3)
        .allMatch(it -> it.text().contains("status=202"))
        .allMatch(it -> it.text().contains("no database could store it"));
    assertThat(accepted(-20, 2000, away)).as("sent too soon").isEmpty();
    assertThat(accepted(-21, 2000, away)).hasSize(1);
    FaultWindow failover = new FaultWindow("failover of Postgres", "postgres", at(-500), at(3000));
    assertThat(accepted(-500, 2000, failover)).as("another may have stored it").isEmpty();
    FaultWindow later =
        new FaultWindow(FaultTimeline.POSTGRES_AWAY, "postgres", at(2000), at(3000));
    assertThat(accepted(-500, 2000, failover, later)).isEmpty();
  }

  /** What is found of tasks that were accepted while no Postgres answered. */
  private List<RuleViolation> accepted(long from, long to, FaultWindow... faults) {
    List<FaultWindow> windows = new ArrayList<>(List.of(faults));
    windows.add(new FaultWindow("part of a fault", "postgres-gone", at(from), at(to)));
    evidence = evidence(windows);
    return TaskResultRules.taskReply(history());
  }

  @Test
  void aProgramThatIsKilledWhenItIsToStopIsFound() {
    attempts.set(
        2, new ObservedAttempt("t2", 1, "pod-1.1", OTHER, at(210), Optional.empty(), "", "0"));
    assertThat(check()).noneMatch(it -> it.text().contains("had no time"));
    asked.set(1, new RequestedTask("r2", "room", false, RequestedTask.ProgramEnd.FAILS));
    found(ViolationKind.ILLEGAL, "was stopped and had no time to say so");
  }

  @Test
  void aStopThatTheJournalDoesNotShowIsFound() {
    transitions.remove(7);
    found(ViolationKind.GAP, "no event says that it was to stop");
  }

  @Test
  void aProgramThatOutlivesItsPodIsFound() {
    attempts.set(0, attempt("t1", 1, POD, 110, 3900, "stopped"));
    assertThat(check()).noneMatch(it -> it.text().contains("runs on"));
    attempts.set(0, attempt("t1", 1, POD, 110, 5100, "0"));
    found(ViolationKind.OPEN, "runs on after SilentPod");
  }

  @Test
  void aProgramThatRunsOnAfterItsTaskIsFound() {
    attempts.set(2, attempt("t2", 1, OTHER, 210, 900, "stopped"));
    assertThat(check()).isEmpty();
    attempts.set(2, attempt("t2", 1, OTHER, 210, 6600, "stopped"));
    found(ViolationKind.OPEN, "runs on although its task was over at");
  }
}
