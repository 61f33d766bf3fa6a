package io.convoke.chaos.durable.rules;

import static io.convoke.chaos.durable.rules.TestHistory.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.durable.flow.TestFlow;
import io.convoke.chaos.durable.rules.FlowHistory.AwaitedFlow;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The rules of what the end of a flow means, with histories that violate them. */
final class FlowEndRulesTest {
  private static final TestFlow LOOP = new TestFlow("loop", TestFlow.TestFlowKind.LOOP, 2, 3);
  private static final TestFlow LEAVING =
      new TestFlow("leaving", TestFlow.TestFlowKind.LEAVING, 1, 3);

  private final List<EventRow> events =
      new ArrayList<>(
          List.of(
              event(LOOP, 1, 3, "ContinuedAsNew", 1000),
              event(LOOP, 2, 3, "WorkflowCompleted", 2000),
              event(LEAVING, 1, 1, "Started", 1900),
              event(LEAVING, 1, 2, "ActivityScheduled", 1900),
              event(LEAVING, 1, 3, "ActivityScheduled", 1900),
              event(LEAVING, 1, 5, "WorkflowCompleted", 3000)));
  private List<FaultWindow> faults = List.of();

  @Test
  void aCallerIsToldTheResult() {
    assertThat(awaited(2100, LOOP.output())).isEmpty();
    assertThat(awaited(2100, LOOP.output() + 1)).singleElement().asString().contains("ended with");
    assertThat(awaited(1100, LOOP.output())).as("it has continued").hasSize(1);
    assertThat(awaited(2100, -1)).as("it did not fail").hasSize(1);
  }

  @Test
  void aCallerIsToldSoon() {
    assertThat(awaited(8900, LOOP.output())).isEmpty();
    assertThat(awaited(9100, LOOP.output())).singleElement().asString().contains("is not told");
    AwaitedFlow untold =
        new AwaitedFlow("node-0.1", "loop", at(10), Optional.empty(), Optional.empty());
    assertThat(awaited(untold)).as("the run may have ended").isEmpty();
    events.add(event(LEAVING, 1, 6, "WorkflowCompleted", 9500));
    assertThat(awaited(untold)).hasSize(1);
    faults = List.of(new FaultWindow(FaultTimeline.KILL, "node-1", at(3000), at(4500)));
    assertThat(awaited(untold)).as("another node").hasSize(1);
    faults = List.of(new FaultWindow(FaultTimeline.KILL, "node-0", at(3000), at(4500)));
    assertThat(awaited(untold)).isEmpty();
    faults = List.of(new FaultWindow(FaultTimeline.KILL, "node-0", at(500), at(700)));
    assertThat(awaited(untold)).as("it died before the end").isEmpty();
  }

  @Test
  void anActivityThatAFlowLeavesIsNotTriedAgain() {
    assertThat(left(7900)).isEmpty();
    assertThat(left(8100)).singleElement().asString().contains("ended at");
    faults = List.of(new FaultWindow("hangs", "node-1", at(3500), at(5000)));
    assertThat(left(8100)).as("another node").hasSize(1);
    faults = List.of(new FaultWindow("hangs", "node-0", at(3500), at(5000)));
    assertThat(left(8100)).as("a claim that it had").isEmpty();
  }

  private List<String> awaited(long told, long result) {
    return awaited(
        new AwaitedFlow("node-0.1", "loop", at(10), Optional.of(at(told)), Optional.of(result)));
  }

  private List<String> awaited(AwaitedFlow awaited) {
    TestHistory history = history();
    history.awaited.add(awaited);
    return history.found("AwaitRule");
  }

  private List<String> left(long begun) {
    TestHistory history = history();
    history.tried.add(TestHistory.attempt("node-0.1", "leaving/1/2", 4, begun));
    history.tried.add(TestHistory.attempt("node-0.1", "leaving/1/3", 4, 2900));
    return history.found("LeftActivityRule");
  }

  private TestHistory history() {
    TestHistory history = new TestHistory();
    history.flows.addAll(List.of(LOOP, LEAVING));
    history.events.addAll(events);
    history.faults.addAll(faults);
    return history;
  }

  private static EventRow event(TestFlow flow, long execution, long id, String type, long ms) {
    return new EventRow(
        flow.id(),
        execution,
        id,
        type,
        at(ms),
        Optional.empty(),
        Optional.empty(),
        Optional.of(at(ms)),
        Optional.empty());
  }
}
