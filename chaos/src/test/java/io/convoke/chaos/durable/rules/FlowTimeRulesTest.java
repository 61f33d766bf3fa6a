package io.convoke.chaos.durable.rules;

import static io.convoke.chaos.durable.rules.TestHistory.at;
import static io.convoke.chaos.durable.rules.TestHistory.attempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.durable.flow.TestFlow;
import io.convoke.chaos.durable.flow.TestJob;
import io.convoke.chaos.durable.rules.FlowHistory.EffectRow;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The times up to which the rules of times find nothing, and what they leave out. */
final class FlowTimeRulesTest {
  private static final TestJob JOB = new TestJob("j1", 0);
  private static final TestFlow CALM = new TestFlow("calm1", TestFlow.TestFlowKind.TIMED, 2, 7);
  private static final TestFlow REFUSED = new TestFlow("f", TestFlow.TestFlowKind.REFUSED, 1, 7);
  private static final String KEY = "f/1/2";

  private final TestHistory history = new TestHistory();

  @Test
  void aJobThatBeganAndDidNotEndIsLost() {
    history.jobs.add(JOB);
    history.tried.add(attempt("node-0.1", JOB.key("a"), 1, 0));
    assertThat(history.found("JobRule")).singleElement().asString().contains("never ended");
  }

  @Test
  void anotherAttemptOfAJobIsNotAnotherJob() {
    assertThat(beside("b", 100)).singleElement().asString().contains("the same unique key");
    assertThat(beside("a", 100)).isEmpty();
  }

  @Test
  void aJobMayRunBesideOneThatRanForSoLongThatItLostItsLock() {
    assertThat(beside("b", 1500)).hasSize(1);
    assertThat(beside("b", 1501)).isEmpty();
  }

  @Test
  void aJobMayRunBesideOneWhoseNodeHadAFaultMeanwhile() {
    assertThat(hanging("node-0", 99)).isEmpty();
    assertThat(hanging("node-0", 100)).as("after its end").hasSize(1);
    assertThat(hanging("node-1", 99)).as("another node").hasSize(1);
  }

  @Test
  void aJobMayRunBesideOneWhoseClaimACrashOfPostgresMayHaveLost() {
    assertThat(crashed(-1000)).hasSize(1);
    assertThat(crashed(-999)).isEmpty();
    assertThat(crashed(1099)).isEmpty();
    assertThat(crashed(1100)).hasSize(1);
  }

  private List<String> hanging(String node, long from) {
    history.faults.clear();
    history.faults.add(new FaultWindow(FaultTimeline.HANG, node, at(from), at(900)));
    return beside("b", 100);
  }

  private List<String> crashed(long ms) {
    history.crashes.clear();
    history.crashes.add(at(ms));
    return beside("b", 100);
  }

  /** What is found if a job begins while one of the same unique key runs, which ends then. */
  private List<String> beside(String id, long ended) {
    history.jobs.clear();
    history.jobs.add(JOB);
    history.tried.clear();
    history.tried.add(attempt("node-0.1", JOB.key("a"), 1, 0, ended));
    history.tried.add(attempt("node-1.1", JOB.key(id), 2, 50, 150));
    return history.found("JobRule");
  }

  @Test
  void onlyAttemptsOfLimitedFlowsThatSurelyHadTheirLocksCount() {
    history.flows.add(new TestFlow("f", TestFlow.TestFlowKind.LIMITED, 5, 7));
    history.flows.add(new TestFlow("g", TestFlow.TestFlowKind.CHAIN, 1, 7));
    history.tried.add(attempt("node-0.1", KEY, 1, 0, 100));
    history.tried.add(attempt("node-0.1", "f/1/3", 1, 10, 100));
    history.tried.add(attempt("node-0.1", "g/1/2", 1, 20, 100));
    history.tried.add(attempt("node-0.1", "f/1/4", 1, 20));
    history.tried.add(attempt("node-0.1", "f/1/5", 1, 20, 1521));
    assertThat(history.found("LimitRule")).isEmpty();
    history.tried.add(attempt("node-0.1", "f/1/6", 1, 20, 1520));
    assertThat(history.found("LimitRule"))
        .singleElement()
        .asString()
        .contains("3 activities of a limit of 2");
  }

  @Test
  void anAttemptAfterOneThatFailedForGoodIsFound() {
    history.flows.add(REFUSED);
    history.bookings.add(new EffectRow(KEY, REFUSED.id(), 0, 1));
    history.tried.add(attempt("node-1.1", KEY, 1, 0));
    history.tried.add(attempt("node-0.1", KEY, 2, 10, 90));
    assertThat(history.found("RefusalRule")).isEmpty();
    history.tried.add(attempt("node-0.1", KEY, 3, 95, 99));
    assertThat(history.found("RefusalRule")).singleElement().asString().contains("attempt=3");
    assertThat(refusals("node-1")).as("another node was killed").hasSize(1);
    assertThat(refusals("node-0")).isEmpty();
    assertThat(refusals("Postgres")).isEmpty();
  }

  /** What is found if this was killed between the attempt that failed for good and the next. */
  private List<String> refusals(String killed) {
    history.faults.clear();
    history.faults.add(new FaultWindow(FaultTimeline.KILL, killed, at(92), at(94)));
    return history.found("RefusalRule");
  }

  @Test
  void anAttemptAfterOneThatFailedForGoodAndMayHaveLostItsLockIsNot() {
    assertThat(again(90, 2089)).hasSize(1);
    assertThat(again(90, 2090)).as("the lock may have expired").isEmpty();
    assertThat(again(1500, 1600)).hasSize(1);
    assertThat(again(1501, 1600)).as("it ran for long").isEmpty();
  }

  /** What is found if an attempt fails for good, and another begins. */
  private List<String> again(long failed, long begun) {
    TestHistory two = new TestHistory();
    two.flows.add(REFUSED);
    two.bookings.add(new EffectRow(KEY, REFUSED.id(), 0, 1));
    two.tried.add(attempt("node-0.1", KEY, 1, 0, failed));
    two.tried.add(attempt("node-0.1", KEY, 2, begun));
    return two.found("RefusalRule");
  }

  @Test
  void aCalmTimedFlowHasALongerTimer() {
    assertThat(timer(CALM.id(), 4500)).isEmpty();
    assertThat(timer(CALM.id(), 4501)).singleElement().asString().contains("than 4000 ms from");
    assertThat(timer("f", 1500)).isEmpty();
    assertThat(timer("f", 1501)).singleElement().asString().contains("than 1000 ms from");
  }

  private List<String> timer(String instance, long due) {
    TestHistory one = new TestHistory();
    one.calm.add(CALM);
    one.timer(instance, 2, 0, due);
    return one.found("TimerRule");
  }

  @Test
  void anActivityOfACalmFlowBeginsSoonAndItsResultIsWrittenSoon() {
    assertThat(worked(CALM.id(), 2000, 4100)).isEmpty();
    assertThat(worked(CALM.id(), 2001, 4101))
        .singleElement()
        .asString()
        .contains("began 2001 ms late");
    assertThat(worked(CALM.id(), 2000, 4101))
        .singleElement()
        .asString()
        .contains("was written 2001 ms late");
    assertThat(worked("busy", 3000, 9000)).isEmpty();
  }

  /** What is found if an activity begins then, lasts 100 ms, and its result is written then. */
  private List<String> worked(String instance, long begun, long written) {
    TestHistory one = new TestHistory();
    one.calm.add(CALM);
    one.event(instance, 2, "ActivityScheduled", 0);
    one.answer(instance, 3, "Completed", written, 2);
    one.tried.add(attempt("node-0.1", instance + "/1/2", 1, begun, begun + 100));
    return one.found("PromptnessRule");
  }

  @Test
  void aTimerFiresSoonAfterItIsDueOrIsThere() {
    assertThat(fired(CALM.id(), 0, 2100)).isEmpty();
    assertThat(fired(CALM.id(), 0, 2101)).singleElement().asString().contains("fired 2001 ms late");
    assertThat(fired("busy", 0, 2600)).isEmpty();
    assertThat(fired("busy", 0, 2601)).singleElement().asString().contains("fired 2501 ms late");
    assertThat(fired("busy", 500, 3000)).as("it was due before it was there").isEmpty();
    assertThat(fired("busy", 500, 3001)).hasSize(1);
    history.troubles.add(new FaultWindow(FaultTimeline.HANG, "node-1", at(900), at(950)));
    assertThat(fired("busy", 0, 2601)).as("a fault meanwhile").isEmpty();
    assertThat(fired(CALM.id(), 0, 2101)).hasSize(1);
  }

  /** What is found if a timer that is due after 100 ms is written and fires then. */
  private List<String> fired(String instance, long written, long fired) {
    history.calm.add(CALM);
    history.events.clear();
    history.timer(instance, 2, written, 100);
    history.answer(instance, 3, "TimerFired", fired, 2);
    return history.found("PromptnessRule");
  }
}
