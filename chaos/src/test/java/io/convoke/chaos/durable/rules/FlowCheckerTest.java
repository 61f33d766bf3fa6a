package io.convoke.chaos.durable.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.durable.flow.TestActivity;
import io.convoke.chaos.durable.flow.TestFlow;
import io.convoke.chaos.durable.flow.TestJob;
import io.convoke.chaos.durable.rules.FlowHistory.EffectRow;
import io.convoke.chaos.durable.rules.FlowHistory.ExecutionRow;
import io.convoke.chaos.durable.rules.FlowHistory.InstanceRow;
import io.convoke.chaos.durable.rules.FlowHistory.ItemRestart;
import io.convoke.chaos.durable.rules.FlowHistory.ObservedActivityAttempt;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each rule finds a history that violates it; a correct history violates none. */
final class FlowCheckerTest {
  private static final Instant T = Instant.parse("2026-01-01T10:00:00Z");
  private static final String RUN = "f1";

  private TestFlow testFlow = new TestFlow(RUN, TestFlow.TestFlowKind.CHAIN, 2, 7);
  private final Set<String> acknowledged = new HashSet<>(Set.of(RUN));
  private final List<InstanceRow> instances = new ArrayList<>();
  private final List<ExecutionRow> executions = new ArrayList<>();
  private final List<EventRow> events = new ArrayList<>();
  private final List<EffectRow> bookings = new ArrayList<>();
  private final Map<String, Long> booked = new HashMap<>();
  private final List<ObservedActivityAttempt> tried = new ArrayList<>();
  private final List<ItemRestart> restarts = new ArrayList<>();
  private final List<Instant> crashes = new ArrayList<>();
  private final List<String> left = new ArrayList<>();
  private FlowHistory.FlowEvidence evidence = known(List.of(), List.of(), "", List.of());

  /** A chain: start, errand 0, a timer of 300 ms, errand 1, end. */
  @BeforeEach
  void aRightHistory() {
    instances.add(new InstanceRow(RUN, 1));
    executions.add(
        new ExecutionRow(RUN, 1, "Completed", Optional.of(Long.toString(testFlow.output()))));
    event(1, "Started", 0);
    event(2, "ActivityScheduled", 0);
    completed(3, 2, 1, 100);
    timer(4, 100, 400);
    answer(5, "TimerFired", 4, 400);
    event(6, "ActivityScheduled", 400);
    completed(7, 6, 2, 600);
    event(8, "WorkflowCompleted", 600);
    book(0, 2);
    book(1, 6);
    booked.put(RUN, testFlow.booked());
    tried(2, 1, 10, 90);
    died(6, 1, 410);
    tried(6, 2, 500, 590);
  }

  @Test
  void aCorrectHistoryViolatesNoRule() {
    assertThat(check()).isEmpty();
  }

  @Test
  void anAckedFlowWithoutAnInstanceIsLost() {
    instances.clear();
    executions.clear();
    events.clear();
    bookings.clear();
    booked.clear();
    tried.clear();
    assertThat(check())
        .extracting(RuleViolation::text)
        .contains(testFlow.text() + ": no instance f1", testFlow.text() + " is nowhere: -");
  }

  @Test
  void aFlowThatNeverEndedIsLost() {
    executions.set(0, new ExecutionRow(RUN, 1, "Running", Optional.empty()));
    events.removeLast();
    only(ViolationKind.LOST, "f1:CHAIN:2:7 is Running");
  }

  @Test
  void aStartThatWasNeverAckedIsLost() {
    acknowledged.clear();
    only(ViolationKind.LOST, "never acked");
  }

  @Test
  void aFlowThatFailedOrReturnedAnotherResultIsWrong() {
    executions.set(0, new ExecutionRow(RUN, 1, "Completed", Optional.of("12")));
    only(ViolationKind.ILLEGAL, "returned 12 instead of " + testFlow.output());
    executions.set(0, new ExecutionRow(RUN, 1, "Failed", Optional.of("given up")));
    assertThat(check())
        .anyMatch(ruleViolation -> ruleViolation.text().contains("is Failed: given up"))
        .anyMatch(ruleViolation -> ruleViolation.text().contains("Completed by its history"));
  }

  @Test
  void anInstanceWithoutAStartIsInvented() {
    instances.add(new InstanceRow("f2", 0));
    only(ViolationKind.INVENTED, "f2 was never started");
  }

  @Test
  void anExtraExecutionIsADuplicate() {
    executions.addFirst(new ExecutionRow(RUN, 0, "ContinuedAsNew", Optional.empty()));
    assertThat(check())
        .anyMatch(ruleViolation -> ruleViolation.text().contains("2 executions instead of 1"))
        .anyMatch(ruleViolation -> ruleViolation.text().contains("f1/0 has a row and no history"))
        .anyMatch(ruleViolation -> ruleViolation.text().contains("is at execution 1 and has 2"));
  }

  @Test
  void aGapInAHistoryIsFound() {
    events.remove(3);
    assertThat(check())
        .anyMatch(ruleViolation -> ruleViolation.text().contains("f1/1: event 5 follows 3"));
  }

  @Test
  void aSecondStartOrASecondEndIsFound() {
    event(9, "WorkflowCompleted", 700);
    only(ViolationKind.DUPLICATED, "has 2 ends");
    events.removeLast();
    events.set(3, row(4, "Started", 100));
    assertThat(check()).anyMatch(ruleViolation -> ruleViolation.text().contains("has 2 starts"));
  }

  @Test
  void somethingAfterTheEndIsFound() {
    event(9, "EventRaised", 700);
    only(ViolationKind.ILLEGAL, "has 1 ends and continues with EventRaised");
  }

  @Test
  void anActivityThatCompletedTwiceWasAckedTwice() {
    events.add(7, new EventRow(RUN, 1, 8, "Failed", at(600), number(6), none(), time(600), time()));
    events.set(8, row(9, "WorkflowCompleted", 600));
    only(ViolationKind.DUPLICATED, "scheduled event 6 is completed by events 7 and 8");
  }

  @Test
  void aCompletionBeforeItsScheduledEventOrOfTheWrongKindIsFound() {
    events.set(6, new EventRow(RUN, 1, 7, "Completed", at(600), number(9), none(), time(), time()));
    assertThat(check())
        .anyMatch(ruleViolation -> ruleViolation.text().contains("completes no scheduled event"))
        .anyMatch(ruleViolation -> ruleViolation.text().contains("never completed"));
    answerInPlace(6, "TimerFired", 6);
    assertThat(check())
        .anyMatch(ruleViolation -> ruleViolation.text().contains("completes ActivityScheduled"));
  }

  @Test
  void aScheduledEventWithoutACompletionIsLost() {
    events.subList(6, 8).clear();
    event(7, "WorkflowCompleted", 600);
    only(ViolationKind.LOST, "f1/1/6 ActivityScheduled");
  }

  @Test
  void aMissingOrDuplicatedEffectIsFound() {
    EffectRow second = bookings.removeLast();
    only(ViolationKind.LOST, "activity f1 1 has 0 effect rows");
    bookings.add(second);
    bookings.add(new EffectRow("f1/1/9", RUN, 1, second.amount()));
    assertThat(check())
        .anyMatch(ruleViolation -> ruleViolation.text().contains("activity f1 1 has 2 effect rows"))
        .anyMatch(ruleViolation -> ruleViolation.kind() == ViolationKind.INVENTED);
  }

  @Test
  void anEffectOfAnotherAmountOrAWrongSumIsFound() {
    bookings.set(1, new EffectRow("f1/1/6", RUN, 1, -1));
    only(ViolationKind.ILLEGAL, "activity f1 1 has -1 effects instead of");
    bookings.clear();
    book(0, 2);
    book(1, 6);
    booked.merge(RUN, 1L, Long::sum);
    only(ViolationKind.COUNT, "has " + (testFlow.booked() + 1) + " effects");
  }

  @Test
  void anAttemptThatTwoNodesGotIsFound() {
    tried(2, 1, 95, 99);
    only(ViolationKind.DUPLICATED, "f1/1/2 attempt 1 was given to node-0.1 and to node-0.1");
  }

  @Test
  void anAttemptThatPostgresLostInACrashMayBeGivenAgain() {
    tried(2, 1, 95, 99);
    List<Instant> begun =
        tried.stream()
            .filter(it -> it.key().equals("f1/1/2"))
            .map(ObservedActivityAttempt::startedAt)
            .sorted()
            .toList();
    crashes.add(begun.getFirst());
    only(ViolationKind.DUPLICATED, "attempt 1 was given to");
    crashes.add(begun.getFirst().plusNanos(1));
    assertThat(check()).isEmpty();
  }

  @Test
  void aCompletionByAnAttemptWhoseSuccessorRanIsFound() {
    died(2, 2, 50);
    only(ViolationKind.DUPLICATED, "by attempt 1 was accepted at");
  }

  @Test
  void aCompletionByAnAttemptThatNeverEndedIsInvented() {
    tried.removeLast();
    died(6, 2, 500);
    only(ViolationKind.INVENTED, "which never ended");
  }

  @Test
  void moreActivitiesAtOnceThanTheirLimitAreFound() {
    TestFlow limited = new TestFlow(RUN, TestFlow.TestFlowKind.LIMITED, 3, 7);
    assertThat(together(limited, 0, 100, 50, 150, 100, 200)).isEmpty();
    assertThat(together(limited, 0, 100, 50, 150, 60, 70))
        .singleElement()
        .asString()
        .contains("3 activities of a limit of 2");
  }

  /** The violations of the limit by attempts, each with its start and its end. */
  private List<String> together(TestFlow flow, long... millis) {
    tried.clear();
    for (int i = 0; i < millis.length; i += 2) {
      tried(10 + i, 1, millis[i], millis[i + 1]);
    }
    testFlow = flow;
    return found("LimitRule");
  }

  @Test
  void anAttemptThatDidNotWaitForItsPauseIsFound() {
    TestFlow flow = failing();
    TestActivity activity = flow.activity(0);
    long least = activity.untilNext(1).orElseThrow().toMillis();
    bookings.add(new EffectRow("g/1/2", flow.id(), 0, activity.amount()));
    assertThat(paused(flow, least - 5)).as("the clocks differ as much").isEmpty();
    assertThat(paused(flow, -20)).as("it waited on a node that stood still").isEmpty();
    assertThat(paused(flow, least - 6))
        .singleElement()
        .asString()
        .contains("g/1/2: attempt 2 began " + (least - 6) + " ms after the one before");
  }

  private List<String> paused(TestFlow flow, long millis) {
    testFlow = flow;
    tried.clear();
    for (int attempt = 1; attempt <= 2; attempt++) {
      tried.add(
          new ObservedActivityAttempt(
              "node-0.1", "g/1/2", attempt, at((attempt - 1) * millis), Duration.ZERO, time()));
    }
    return found("RetryPauseRule");
  }

  /** A flow whose first activity is quick and fails at first. */
  private static TestFlow failing() {
    return IntStream.range(0, 1000)
        .mapToObj(salt -> new TestFlow("g", TestFlow.TestFlowKind.CHAIN, 1, salt))
        .filter(flow -> flow.activity(0).untilNext(1).isPresent())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aJobThatNeverEndedAndOneBesideAnotherOfItsKeyAreFound() {
    TestJob job = new TestJob("j1", 0);
    evidence = known(List.of(), List.of(), "", List.of(job));
    only(ViolationKind.LOST, "TestJob[id=j1, failures=0] never ended");
    ended(job, "a", 0, 100);
    ended(job, "b", 100, 200);
    assertThat(check()).isEmpty();
    ended(job, "c", 150, 250);
    only(ViolationKind.DUPLICATED, "which has the same unique key");
  }

  private void ended(TestJob job, String id, long from, long to) {
    tried.add(
        new ObservedActivityAttempt("node-0.1", job.key(id), 1, at(from), Duration.ZERO, time(to)));
  }

  @Test
  void aTimerThatFiresEarlyIsFound() {
    events.set(4, row(5, "TimerFired", 390, 4));
    only(ViolationKind.INTERVAL, "fired early");
  }

  @Test
  void aTimerThatAWrongClockSetIsFound() {
    timerInPlace(3, 100, 5400);
    answerInPlace(4, "TimerFired", 4, 5400);
    only(ViolationKind.INTERVAL, "is due later than 1000 ms from then");
  }

  @Test
  void aRestartThatWaitedForTheLockIsLateUnlessAnotherFaultOverlaps() {
    restarts.add(restart(3500, true));
    restarts.add(restart(5000, false));
    assertThat(check()).isEmpty();
    restarts.add(restart(3501, true));
    only(ViolationKind.LATE, "restarted 3501 ms later");
  }

  @Test
  void itemsQueuedOrLockedAtTheEndAreFound() {
    left.add("a message for f1 is queued");
    only(ViolationKind.OPEN, "a message for f1 is queued");
  }

  @Test
  void workThatWaitsWithoutAFaultIsFound() {
    evidence = known(FlowHistory.FlowEvidence.ALWAYS, List.of(testFlow), "", List.of());
    assertThat(check()).noneMatch(found -> found.rule().equals("PromptnessRule"));
    answerInPlace(4, "TimerFired", 4, 2500);
    assertThat(check())
        .anySatisfy(
            found -> {
              assertThat(found.rule()).isEqualTo("PromptnessRule");
              assertThat(found.text()).contains("fired 2100 ms late");
            });
  }

  private List<String> found(String rule) {
    return check().stream().filter(it -> it.rule().equals(rule)).map(RuleViolation::text).toList();
  }

  @Test
  void aScheduleWithoutItsRunsIsFound() {
    evidence = known(FlowHistory.FlowEvidence.ALWAYS, List.of(), "sched", List.of());
    assertThat(check())
        .anySatisfy(found -> assertThat(found.text()).isEqualTo("the schedule had 0 runs in 4 s"));
  }

  private void only(ViolationKind violationKind, String text) {
    assertThat(check())
        .singleElement()
        .satisfies(
            ruleViolation -> {
              assertThat(ruleViolation.kind()).isEqualTo(violationKind);
              assertThat(ruleViolation.text()).contains(text);
            });
  }

  private List<RuleViolation> check() {
    return FlowChecker.check(
        new FlowHistory(
            List.of(testFlow),
            acknowledged,
            Set.of(),
            instances,
            executions,
            events,
            bookings,
            booked,
            tried,
            restarts,
            crashes,
            left,
            Duration.ofSeconds(1),
            Duration.ofMillis(3500),
            evidence));
  }

  private void event(long id, String type, long ms) {
    events.add(row(id, type, ms));
  }

  private void completed(long id, long order, int attempt, long ms) {
    events.add(
        new EventRow(
            RUN,
            1,
            id,
            "Completed",
            at(ms),
            number(order),
            Optional.of(attempt),
            time(ms),
            time()));
  }

  private void timer(long id, long ms, long due) {
    events.add(new EventRow(RUN, 1, id, "TimerCreated", at(ms), none(), none(), time(), time(due)));
  }

  private void timerInPlace(int index, long ms, long due) {
    timer(index + 1L, ms, due);
    events.set(index, events.removeLast());
  }

  private void answer(long id, String type, long order, long ms) {
    events.add(row(id, type, ms, order));
  }

  private void answerInPlace(int index, String type, long order) {
    answerInPlace(index, type, order, 600);
  }

  private void answerInPlace(int index, String type, long order, long ms) {
    events.set(index, row(index + 1L, type, ms, order));
  }

  private void book(int number, long order) {
    TestActivity testActivity = testFlow.activity(number);
    bookings.add(new EffectRow("f1/1/" + order, RUN, number, testActivity.amount()));
  }

  private void tried(long order, int attempt, long from, long to) {
    tried.add(
        new ObservedActivityAttempt(
            "node-0.1", "f1/1/" + order, attempt, at(from), Duration.ZERO, time(to)));
  }

  private void died(long order, int attempt, long from) {
    tried.add(
        new ObservedActivityAttempt(
            "node-1.1", "f1/1/" + order, attempt, at(from), Duration.ZERO, time()));
  }

  /** What is known: a schedule that there is ran for four seconds. */
  private static FlowHistory.FlowEvidence known(
      List<FaultWindow> troubles, List<TestFlow> calm, String schedule, List<TestJob> jobs) {
    return new FlowHistory.FlowEvidence(
        troubles,
        calm,
        schedule,
        "",
        Duration.ofSeconds(4),
        jobs,
        List.of(),
        Set.of(),
        List.of(),
        List.of());
  }

  private static ItemRestart restart(long ms, boolean alone) {
    return new ItemRestart("node-1", T, "f1/1/2", Optional.of(Duration.ofMillis(ms)), alone);
  }

  private static EventRow row(long id, String type, long ms) {
    return new EventRow(RUN, 1, id, type, at(ms), none(), none(), time(ms), time());
  }

  private static EventRow row(long id, String type, long ms, long order) {
    return new EventRow(RUN, 1, id, type, at(ms), number(order), none(), time(ms), time());
  }

  private static <T> Optional<T> none() {
    return Optional.empty();
  }

  private static Optional<Long> number(long order) {
    return Optional.of(order);
  }

  private static Optional<Instant> time() {
    return Optional.empty();
  }

  private static Optional<Instant> time(long ms) {
    return Optional.of(at(ms));
  }

  private static Instant at(long ms) {
    return T.plusMillis(ms);
  }
}
