package io.convoke.chaos.dispatch.rules;

import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.at;
import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.attempt;
import static io.convoke.chaos.dispatch.rules.TaskHistoryBuilder.transition;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.ChaosProgram;
import io.convoke.chaos.dispatch.rules.TaskHistory.DrainedPod;
import io.convoke.chaos.dispatch.rules.TaskHistory.ObservedAttempt;
import io.convoke.chaos.dispatch.rules.TaskHistory.RecoveryOutage;
import io.convoke.chaos.dispatch.rules.TaskHistory.RequestedTask;
import io.convoke.chaos.dispatch.rules.TaskHistory.SilentPod;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.RuleViolation;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What excuses the holders of tasks, and what does not. */
final class TaskHolderRulesTest extends CorrectTasks {
  /** A program that is to stop at 510 has 4 s to hear of it and 2 s to end. */
  @ParameterizedTest
  @CsvSource({
    "pod-b,300,400,6510",
    "pod-b,300,3000,9000",
    "pod-b,4509,5000,11000",
    "pod-b,6511,8000,6510",
    "pod-a,300,3000,6510",
  })
  void aPodHearsOfAStopOnceItIsBack(String pod, long from, long back, long latest) {
    silences.add(new SilentPod(pod, ChaosProgram.Silence.HUNG, at(from), Optional.of(at(back))));
    assertThat(runsUntil(latest)).isEmpty();
    assertThat(runsUntil(latest + 1)).hasSize(1);
  }

  @Test
  void aPodThatIsNotBackHearsOfNothing() {
    silences.add(new SilentPod(OTHER, ChaosProgram.Silence.HUNG, at(6510), Optional.empty()));
    assertThat(runsUntil(60_000)).isEmpty();
  }

  @Test
  void anOutageThatBeginsLaterLeavesNoTime() {
    troubles.add(new RecoveryOutage("Redis away", at(7000), at(8000), false));
    assertThat(runsUntil(6510)).isEmpty();
    assertThat(runsUntil(6511)).hasSize(1);
  }

  /** What is found if the program of the stopped task ends then. */
  private List<RuleViolation> runsUntil(long ended) {
    attempts.set(2, attempt("t2", 1, OTHER, 210, ended, "stopped"));
    return TaskHolderRules.programEnd(history());
  }

  @Test
  void onlyAnUndisturbedProgramMustSayThatItWasStopped() {
    asked.set(1, new RequestedTask("r2", "room", false, RequestedTask.ProgramEnd.FAILS));
    assertThat(TaskHolderRules.programEnd(history())).as("it said so").isEmpty();
    attempts.set(2, killed(0));
    assertThat(TaskHolderRules.programEnd(history())).as("an earlier attempt").isEmpty();
    attempts.set(2, killed(1));
    assertThat(TaskHolderRules.programEnd(history())).hasSize(1);
    troubles.add(new RecoveryOutage("Redis away", at(300), at(400), false));
    assertThat(TaskHolderRules.programEnd(history())).isEmpty();
    troubles.clear();
    silences.add(new SilentPod(OTHER, ChaosProgram.Silence.HUNG, at(300), Optional.of(at(400))));
    assertThat(TaskHolderRules.programEnd(history())).isEmpty();
  }

  private static ObservedAttempt killed(int number) {
    return new ObservedAttempt("t2", number, "pod-1.1", OTHER, at(210), Optional.empty(), "", "0");
  }

  /** The task waits since 40, and goes to another region at 1000. */
  @ParameterizedTest
  @CsvSource({
    "Redis away,500,600,0",
    "Redis away,999,1100,0",
    "Redis away,1000,1100,1",
    "Redis away,-6000,-4959,0",
    "Redis away,-6000,-4960,1",
    "Redis emptied,500,600,1",
  })
  void aTaskMayLeaveItsRegionWhileRedisIsAway(String what, long from, long to, int found) {
    troubles.add(new RecoveryOutage(what, at(from), at(to), true));
    assertThat(leavesRegion()).hasSize(found);
  }

  @ParameterizedTest
  @CsvSource({
    "pod-a,500,600,0",
    "pod-b,500,600,1",
    "pod-a,1000,2000,1",
    "pod-a,-6000,-4959,0",
    "pod-a,-6000,-4960,1",
  })
  void aTaskMayLeaveItsRegionWhileAPodOfThatIsDrained(String pod, long from, long to, int found) {
    drained.add(new DrainedPod(pod, at(from), at(to)));
    assertThat(leavesRegion()).hasSize(found);
  }

  private List<RuleViolation> leavesRegion() {
    asked.set(
        2,
        new RequestedTask("r3", "room", false, RequestedTask.ProgramEnd.FAILS, Optional.of("us")));
    return TaskHolderRules.taskRegion(history());
  }

  /** It had a result at 1100 and is begun again at 9000, though its pod ran from 1010 on. */
  @ParameterizedTest
  @CsvSource({"100,1010,1", "100,1011,0", "8999,9999,0", "9000,9999,1"})
  void onlyAPodThatLivesOnSurelyReportsItsResult(long from, long back, int found) {
    silences.add(new SilentPod(OTHER, ChaosProgram.Silence.HUNG, at(from), Optional.of(at(back))));
    assertThat(doneAgain(2)).hasSize(found);
  }

  @Test
  void aClaimThatIsRecordedAgainIsNoOther() {
    assertThat(doneAgain(1)).isEmpty();
  }

  /** A window of the first target lasts 3600 ms; a part of it is of the second. */
  @ParameterizedTest
  @CsvSource({
    "redis,1000,redis-gone,1000,1",
    "redis-forgot,400,redis-gone,399,1",
    "redis-forgot,401,redis-gone,0,0",
    "redis-forgot,400,redis-gone,401,0",
    "redis-forgot,400,postgres-gone,401,1",
    "redis-forgot,400,redis-gone,4000,1",
    "redis-forgot,11099,redis-gone,0,0",
    "redis-forgot,11100,redis-gone,0,1",
  })
  void redisMayLoseAResultFrom10SBeforeUntil700MsAfterItIsGone(
      String target, long from, String part, long partFrom, int found) {
    evidence =
        evidence(
            List.of(
                new FaultWindow("power failure", target, at(from), at(from + 3600)),
                new FaultWindow("part of a fault", part, at(partFrom), at(partFrom + 100))));
    assertThat(doneAgain(2)).hasSize(found);
  }

  /** Redis did not know the task for a lease of 6 s, and the 6 s until it surely was compared. */
  @ParameterizedTest
  @CsvSource({
    "1000,13000,true,1",
    "1000,13001,true,0",
    "1000,13001,false,1",
    "11099,30000,true,0",
    "11100,30000,true,1",
  })
  void aPodReportsItsResultForALease(long from, long to, boolean forgets, int found) {
    troubles.add(new RecoveryOutage("Redis emptied", at(from), at(to), forgets));
    assertThat(doneAgain(2)).hasSize(found);
  }

  private List<RuleViolation> doneAgain(int number) {
    transitions.add(transition(13, "task.processing", "t3", "PROCESSING", number, POD, "", 9000));
    return TaskHolderRules.finishedWork(history());
  }

  /** It is given back at 6200, and would not have been in an outage. */
  @ParameterizedTest
  @CsvSource({
    "1,1010,6199,stopped,1",
    "1,1010,6201,0,1",
    "1,1010,6200,0,0",
    "2,1010,9000,0,0",
    "1,6200,9000,0,0",
  })
  void aPodThatLivesKeepsWhatItRuns(int number, long from, long to, String code, int found) {
    attempts.set(3, attempt("t3", number, OTHER, from, to, code));
    transitions.set(
        11, transition(12, "task.pending", "t3", "PENDING", 1, "", "its lease ended", 6200));
    assertThat(TaskHolderRules.keptLease(history())).hasSize(found);
    troubles.add(new RecoveryOutage("Redis away", at(3000), at(3100), false));
    assertThat(TaskHolderRules.keptLease(history())).isEmpty();
  }

  /** The journal has no claim of an attempt that began at 9000; Redis lost data at 16 s. */
  @ParameterizedTest
  @CsvSource({
    "hang,server-2,12999,0",
    "hang,server-2,13000,1",
    "hang,pod-a,8000,1",
    "kill -9,server-2,8000,1",
  })
  void onlyAServerThatHangsMayHaveTakenAnEventThatRedisLost(
      String what, String target, long from, int found) {
    attempts.add(attempt("t3", 9, POD, 9000, 9100, "stopped"));
    troubles.add(new RecoveryOutage("Redis emptied", at(16_000), at(16_100), true));
    evidence = evidence(List.of(new FaultWindow(what, target, at(from), at(20_000))));
    assertThat(TaskHolderRules.singleHolder(history()))
        .filteredOn(it -> it.text().contains("the journal has another holder"))
        .hasSize(found);
  }

  @Test
  void aDrainedPodIsJudgedByItsOwnClaims() {
    drained.add(new DrainedPod(OTHER, at(4000), at(4290)));
    assertThat(TaskHolderRules.podDrain(history())).as("no claim").isEmpty();
    silences.clear();
    drained.set(0, new DrainedPod(POD, at(4250), at(4900)));
    assertThat(TaskHolderRules.podDrain(history())).as("of another pod").isEmpty();
  }

  @Test
  void programsInSlotsOfTheirOwnShareNone() {
    attempts.set(
        3,
        new ObservedAttempt("t3", 1, "pod-1.1", OTHER, at(500), Optional.of(at(1100)), "1", "1"));
    assertThat(TaskHolderRules.podSlot(history()))
        .singleElement()
        .satisfies(it -> assertThat(it.text()).contains("runs 2 programs at once"));
  }
}
