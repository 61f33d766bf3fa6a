package io.convoke.chaos.durable.rules;

import io.convoke.chaos.durable.flow.TestFlow;
import io.convoke.chaos.durable.flow.TestJob;
import io.convoke.chaos.durable.rules.FlowHistory.AwaitedFlow;
import io.convoke.chaos.durable.rules.FlowHistory.EffectRow;
import io.convoke.chaos.durable.rules.FlowHistory.ExecutionRow;
import io.convoke.chaos.durable.rules.FlowHistory.FlowEvidence;
import io.convoke.chaos.durable.rules.FlowHistory.InstanceRow;
import io.convoke.chaos.durable.rules.FlowHistory.ObservedActivityAttempt;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A history that a test fills. Flows are acknowledged, and a schedule ran for four seconds. */
final class TestHistory {
  /** Timers of flows that are not calm are as long at most. */
  private static final Duration TIMER_MAX = Duration.ofSeconds(1);

  private static final Duration RESTART_MAX = Duration.ofSeconds(2);

  /** The schedule that runs while there are faults. */
  static final String DURING_FAULTS = "during-faults";

  private static final Instant T = Instant.parse("2026-01-01T10:00:00Z");

  final List<TestFlow> flows = new ArrayList<>();
  final List<InstanceRow> instances = new ArrayList<>();
  final List<ExecutionRow> executions = new ArrayList<>();
  final List<EventRow> events = new ArrayList<>();
  final List<EffectRow> bookings = new ArrayList<>();
  final List<ObservedActivityAttempt> tried = new ArrayList<>();
  final List<Instant> crashes = new ArrayList<>();
  final List<FaultWindow> troubles = new ArrayList<>();
  final List<FaultWindow> faults = new ArrayList<>();
  final List<TestFlow> calm = new ArrayList<>();
  final List<TestJob> jobs = new ArrayList<>();
  final List<String> lastRuns = new ArrayList<>();
  final List<ObservedActivityAttempt> steps = new ArrayList<>();
  final List<AwaitedFlow> awaited = new ArrayList<>();
  String schedule = "";

  static Instant at(long ms) {
    return T.plusMillis(ms);
  }

  static ObservedActivityAttempt attempt(
      String process, String key, int number, long begun, long ended) {
    return new ObservedActivityAttempt(
        process, key, number, at(begun), Duration.ZERO, Optional.of(at(ended)));
  }

  /** One that did not end. */
  static ObservedActivityAttempt attempt(String process, String key, int number, long begun) {
    return new ObservedActivityAttempt(
        process, key, number, at(begun), Duration.ZERO, Optional.empty());
  }

  /** An event of the first execution of an instance. */
  void event(String instance, long id, String type, long written) {
    events.add(event(instance, id, type, written, Optional.empty(), Optional.empty()));
  }

  void answer(String instance, long id, String type, long written, long order) {
    events.add(event(instance, id, type, written, Optional.of(order), Optional.empty()));
  }

  void timer(String instance, long id, long written, long due) {
    events.add(
        event(instance, id, "TimerCreated", written, Optional.empty(), Optional.of(at(due))));
  }

  private static EventRow event(
      String instance,
      long id,
      String type,
      long written,
      Optional<Long> order,
      Optional<Instant> due) {
    return new EventRow(
        instance, 1, id, type, at(written), order, Optional.empty(), Optional.empty(), due);
  }

  /** The texts of the violations of a rule. */
  List<String> found(String rule) {
    return violations(rule).map(RuleViolation::text).toList();
  }

  /** The kinds of the violations of a rule. */
  List<ViolationKind> kinds(String rule) {
    return violations(rule).map(RuleViolation::kind).toList();
  }

  private Stream<RuleViolation> violations(String rule) {
    return FlowChecker.check(history()).stream().filter(found -> found.rule().equals(rule));
  }

  private FlowHistory history() {
    return new FlowHistory(
        flows,
        flows.stream().map(TestFlow::id).collect(Collectors.toSet()),
        Set.of(),
        instances,
        executions,
        events,
        bookings,
        Map.of(),
        tried,
        List.of(),
        crashes,
        List.of(),
        TIMER_MAX,
        RESTART_MAX,
        new FlowEvidence(
            troubles,
            calm,
            schedule,
            DURING_FAULTS,
            Duration.ofSeconds(4),
            jobs,
            faults,
            Set.copyOf(lastRuns),
            steps,
            awaited));
  }
}
