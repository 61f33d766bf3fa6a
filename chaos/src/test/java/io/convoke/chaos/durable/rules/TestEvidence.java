package io.convoke.chaos.durable.rules;

import io.convoke.chaos.durable.rules.FlowHistory.AwaitedFlow;
import io.convoke.chaos.durable.rules.FlowHistory.FlowEvidence;
import io.convoke.chaos.durable.rules.FlowHistory.ObservedActivityAttempt;
import io.convoke.chaos.kernel.FaultWindow;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Evidence of runs without a schedule, calm flows and jobs. */
final class TestEvidence {
  private TestEvidence() {}

  static FlowEvidence faults(List<FaultWindow> faults) {
    return of("", faults, Set.of(), List.of(), List.of());
  }

  static FlowEvidence steps(List<FaultWindow> faults, List<ObservedActivityAttempt> steps) {
    return of("", faults, Set.of(), steps, List.of());
  }

  static FlowEvidence awaited(List<FaultWindow> faults, List<AwaitedFlow> awaited) {
    return of("", faults, Set.of(), List.of(), awaited);
  }

  /** The schedule {@code s} shows this last run. */
  static FlowEvidence lastRun(String text) {
    return of("s", List.of(), Set.of(text), List.of(), List.of());
  }

  private static FlowEvidence of(
      String schedule,
      List<FaultWindow> faults,
      Set<String> lastRuns,
      List<ObservedActivityAttempt> steps,
      List<AwaitedFlow> awaited) {
    return new FlowEvidence(
        List.of(),
        List.of(),
        schedule,
        "",
        Duration.ZERO,
        List.of(),
        faults,
        lastRuns,
        steps,
        awaited);
  }
}
