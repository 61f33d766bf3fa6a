package io.convoke.chaos.durable.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.durable.flow.TestFlow;
import io.convoke.chaos.durable.rules.FlowHistory.AwaitedFlow;
import io.convoke.chaos.durable.rules.FlowHistory.ObservedActivityAttempt;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.RuleViolation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The rules of what the end of a flow means, with histories that violate them. */
final class FlowEndRulesTest {
  private static final Instant T = Instant.parse("2026-01-01T10:00:00Z");
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
    return found(FlowEndRules.awaited(history(List.of(), List.of(awaited))));
  }

  private List<String> left(long begun) {
    return found(
        FlowEndRules.leftActivity(
            history(List.of(attempt(2, begun), attempt(3, 2900)), List.of())));
  }

  private static List<String> found(List<RuleViolation> violations) {
    return violations.stream().map(RuleViolation::text).toList();
  }

  private FlowHistory history(List<ObservedActivityAttempt> tried, List<AwaitedFlow> awaited) {
    return new FlowHistory(
        List.of(LOOP, LEAVING),
        Set.of(),
        Set.of(),
        List.of(),
        List.of(),
        List.copyOf(events),
        List.of(),
        Map.of(),
        tried,
        List.of(),
        List.of(),
        List.of(),
        Duration.ZERO,
        Duration.ZERO,
        TestEvidence.awaited(faults, awaited));
  }

  private static ObservedActivityAttempt attempt(long order, long begun) {
    return new ObservedActivityAttempt(
        "node-0.1", "leaving/1/" + order, 4, at(begun), Duration.ZERO, Optional.empty());
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

  private static Instant at(long ms) {
    return T.plusMillis(ms);
  }
}
