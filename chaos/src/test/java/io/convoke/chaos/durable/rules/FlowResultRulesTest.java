package io.convoke.chaos.durable.rules;

import static io.convoke.chaos.durable.rules.TestHistory.at;
import static io.convoke.chaos.durable.rules.TestHistory.attempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.durable.flow.TestFlow;
import io.convoke.chaos.durable.flow.TestFlow.TestFlowKind;
import io.convoke.chaos.durable.rules.FlowHistory.EffectRow;
import io.convoke.chaos.durable.rules.FlowHistory.ExecutionRow;
import io.convoke.chaos.durable.rules.FlowHistory.InstanceRow;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What becomes of flows of other kinds than a chain, and the exact bounds of the rules. */
final class FlowResultRulesTest {
  private static final TestFlow LOOP = new TestFlow("f", TestFlowKind.LOOP, 2, 7);
  private static final FaultWindow BEFORE = kill(10, 100);
  private static final FaultWindow MEANWHILE = kill(150, 250);
  private static final FaultWindow AFTERWARDS = kill(400, 9999);

  private final TestHistory history = new TestHistory();

  private static FaultWindow kill(long from, long to) {
    return new FaultWindow(FaultTimeline.KILL, "node-1", at(from), at(to));
  }

  @Test
  void aFlowEndsAsItsLastExecution() {
    history.flows.add(LOOP);
    history.instances.add(new InstanceRow(LOOP.id(), 2));
    assertThat(history.kinds("FlowEndRule"))
        .as("nowhere, and without executions")
        .containsExactly(ViolationKind.LOST, ViolationKind.COUNT);
    ended(1, "ContinuedAsNew");
    assertThat(history.kinds("FlowEndRule"))
        .as("one execution less, which is not the last")
        .containsExactly(ViolationKind.ILLEGAL, ViolationKind.COUNT);
    ended(2, "Completed");
    assertThat(history.found("FlowEndRule")).isEmpty();
    history.executions.removeLast();
    ended(2, "Running");
    assertThat(history.kinds("FlowEndRule")).containsExactly(ViolationKind.LOST);
    ended(3, "Failed");
    assertThat(history.kinds("FlowEndRule"))
        .containsExactly(ViolationKind.ILLEGAL, ViolationKind.COUNT);
  }

  private void ended(long execution, String status) {
    history.executions.add(
        new ExecutionRow(LOOP.id(), execution, status, Optional.of(Long.toString(LOOP.output()))));
  }

  @Test
  void instancesOfSchedulesAndTheirRunsAreNotInvented() {
    history.schedule = "sched";
    for (String schedule : List.of("sched", TestHistory.DURING_FAULTS, TestFlow.LONG_RUNS)) {
      history.instances.add(new InstanceRow("schedule:" + schedule, 1));
      history.instances.add(new InstanceRow(schedule + "@" + at(0), 1));
    }
    assertThat(history.found("FlowEndRule")).isEmpty();
    history.instances.add(new InstanceRow("other@" + at(0), 1));
    assertThat(history.kinds("FlowEndRule")).containsExactly(ViolationKind.INVENTED);
  }

  @Test
  void whatAFlowMayLeaveWhenItEndsIsNotLost() {
    assertThat(left("f", "TimerCreated")).isEmpty();
    assertThat(left("schedule:s", "ChildScheduled")).as("the last run").isEmpty();
    assertThat(left("f", "ChildScheduled")).singleElement().asString().contains("never completed");
    assertThat(left("f", "ActivityScheduled")).hasSize(1);
    history.flows.add(new TestFlow("f", TestFlowKind.LEAVING, 1, 7));
    assertThat(left("f", "ActivityScheduled")).isEmpty();
    assertThat(left("g", "ActivityScheduled")).as("another flow").hasSize(1);
    history.events.removeLast();
    assertThat(history.found("FlowAnswerRule")).as("while it runs").isEmpty();
  }

  /** What is found if an instance ends without an answer to what it scheduled. */
  private List<String> left(String instance, String type) {
    history.events.clear();
    history.event(instance, 1, "Started", 0);
    history.event(instance, 2, type, 0);
    history.event(instance, 3, "WorkflowCompleted", 100);
    return history.found("FlowAnswerRule");
  }

  @Test
  void anActivityThatIsTriedMoreOftenThanItsPolicyAndTheFaultsAllowIsFound() {
    assertThat(hopeless(3, List.of())).isEmpty();
    assertThat(hopeless(4, List.of(MEANWHILE, AFTERWARDS))).isEmpty();
    assertThat(hopeless(4, List.of(BEFORE, AFTERWARDS)))
        .singleElement()
        .asString()
        .contains("was tried 4 times instead of 3");
    assertThat(hopeless(5, List.of(BEFORE, MEANWHILE))).hasSize(1);
    assertThat(hopeless(5, List.of(MEANWHILE, AFTERWARDS))).isEmpty();
  }

  /** What is found if an activity that always fails is tried each 100 ms from 100 ms on. */
  private static List<String> hopeless(int attempts, List<FaultWindow> faults) {
    TestHistory saga = new TestHistory();
    saga.flows.add(new TestFlow("f", TestFlowKind.SAGA, 2, 1));
    saga.bookings.add(new EffectRow("f/1/2", "f", 2, 0));
    saga.troubles.addAll(faults);
    IntStream.rangeClosed(1, attempts)
        .forEach(n -> saga.tried.add(attempt("node-1.1", "f/1/2", n, 100L * n)));
    return saga.found("OrderRule");
  }

  @Test
  void aTimerOfAnotherLengthIsFound() {
    TestFlow pausing = pausing();
    long pause = pausing.pause(1).orElseThrow().toMillis();
    history.flows.add(pausing);
    history.timer("f", 1, 0, pause + 500);
    assertThat(history.found("OrderRule")).isEmpty();
    history.events.clear();
    history.timer("f", 1, 0, pause + 501);
    assertThat(history.found("OrderRule"))
        .singleElement()
        .asString()
        .contains("should last " + pause + " ms");
  }

  /** The first flow with a pause before its second activity. */
  private static TestFlow pausing() {
    return IntStream.range(0, 100)
        .mapToObj(salt -> new TestFlow("f", TestFlowKind.TIMED, 2, salt))
        .filter(flow -> flow.pause(1).isPresent())
        .findFirst()
        .orElseThrow();
  }
}
