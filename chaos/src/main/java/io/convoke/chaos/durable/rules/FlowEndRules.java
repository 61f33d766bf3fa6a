package io.convoke.chaos.durable.rules;

import io.convoke.chaos.durable.flow.TestFlow;
import io.convoke.chaos.durable.rules.FlowHistory.AwaitedFlow;
import io.convoke.chaos.durable.rules.FlowHistory.ObservedActivityAttempt;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the end of a flow means to its callers, and to an activity that it leaves. */
final class FlowEndRules {
  /** A transaction's time is that of its start, on a busy machine. */
  private static final Duration NEARLY = Duration.ofMillis(500);

  /** Longer than the longest pause between queries of those that wait for ends. */
  private static final Duration TOLD_MAX = Duration.ofSeconds(7);

  /** From the start of the transaction of an end until all nodes know, on a busy machine. */
  private static final Duration CANCELLED_MAX = Duration.ofSeconds(5);

  private FlowEndRules() {}

  /**
   * Callers that await a flow are told its result, not before its end, and soon after it where no
   * fault keeps it from them.
   */
  static List<RuleViolation> awaited(FlowHistory history) {
    Map<String, TestFlow> flows = new HashMap<>();
    history.flows().forEach(flow -> flows.put(flow.id(), flow));
    Map<String, Instant> ends = ends(history);
    Instant last =
        history.events().stream()
            .map(EventRow::written)
            .max(Comparator.naturalOrder())
            .orElse(Instant.MIN);
    List<RuleViolation> findings = new ArrayList<>();
    for (AwaitedFlow awaited : history.evidence().awaited()) {
      Optional<TestFlow> flow = Optional.ofNullable(flows.get(awaited.flow()));
      Optional<Instant> end = Optional.ofNullable(ends.get(awaited.flow()));
      if (flow.isEmpty() || end.isEmpty()) {
        continue;
      }
      if (awaited.result().filter(result -> result != flow.get().output()).isPresent()
          || awaited.told().filter(at -> at.isBefore(end.get().minus(NEARLY))).isPresent()) {
        findings.add(
            ViolationKind.ILLEGAL.found(
                "%s ended with %d at %s: %s",
                flow.get().text(), flow.get().output(), end.get(), awaited));
      }
      Instant known = end.get().isAfter(awaited.begun()) ? end.get() : awaited.begun();
      Instant latest = known.plus(TOLD_MAX);
      boolean late = awaited.told().map(at -> at.isAfter(latest)).orElse(last.isAfter(latest));
      if (late && !history.evidence().touched(awaited.process(), awaited.begun(), latest)) {
        findings.add(ViolationKind.LATE.found("a caller is not told: %s", awaited));
      }
    }
    return findings;
  }

  /** An activity that a flow leaves when it ends is not tried again. */
  static List<RuleViolation> leftActivity(FlowHistory history) {
    Map<String, Instant> ends = ends(history);
    Map<String, List<EventRow>> runs = history.runs();
    Map<String, List<ObservedActivityAttempt>> tried = history.triedByKey();
    List<RuleViolation> findings = new ArrayList<>();
    for (TestFlow flow : history.flows()) {
      Optional<Instant> end = Optional.ofNullable(ends.get(flow.id()));
      if (flow.kind() != TestFlow.TestFlowKind.LEAVING || end.isEmpty()) {
        continue;
      }
      runs.getOrDefault(flow.id() + "/1", List.of()).stream()
          .filter(EventRow::activity)
          .findFirst()
          .map(order -> tried.getOrDefault(order.key(order.id()), List.of()))
          .orElse(List.of())
          .stream()
          .filter(attempt -> attempt.startedAt().isAfter(end.get().plus(CANCELLED_MAX)))
          .filter(
              attempt ->
                  !history.evidence().touched(attempt.process(), end.get(), attempt.startedAt()))
          .forEach(
              attempt ->
                  findings.add(
                      ViolationKind.ILLEGAL.found(
                          "%s ended at %s: %s", flow.text(), end.get(), attempt)));
    }
    return findings;
  }

  /** When the last execution of each instance ended; the events of an instance are in order. */
  private static Map<String, Instant> ends(FlowHistory history) {
    Map<String, Instant> ends = new HashMap<>();
    history.events().stream()
        .filter(EventRow::end)
        .forEach(event -> ends.put(event.instance(), event.written()));
    return ends;
  }
}
