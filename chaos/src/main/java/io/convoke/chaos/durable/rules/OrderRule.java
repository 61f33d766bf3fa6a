package io.convoke.chaos.durable.rules;

import io.convoke.chaos.durable.flow.TestFlow;
import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The engine does what was asked: the timers of a timed flow last as long as it sleeps, and an
 * activity that always fails is tried as often as its policy says and no more. A fault during an
 * attempt, or before its failure is stored, may cost that attempt: each allows one more.
 */
final class OrderRule implements Rule<FlowHistory> {
  /** Attempts that the policy of an activity that always fails allows. */
  private static final int HOPELESS = 3;

  /** A node's estimate of the database's time is approximate. */
  private static final Duration NEARLY = Duration.ofMillis(500);

  @Override
  public List<RuleViolation> check(FlowHistory history) {
    if (history.evidence().equals(FlowHistory.FlowEvidence.NONE)) {
      return List.of();
    }
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, List<EventRow>> runs = history.runs();
    Map<String, List<ObservedActivityAttempt>> tried = history.triedByKey();
    Map<String, String> keys = new HashMap<>();
    history.bookings().forEach(row -> keys.put(row.flow() + " " + row.number(), row.key()));
    for (TestFlow flow : history.flows()) {
      if (flow.kind() == TestFlow.TestFlowKind.TIMED) {
        timers(flow, runs.getOrDefault(flow.id() + "/1", List.of()), findings);
      }
      if (flow.kind() == TestFlow.TestFlowKind.SAGA) {
        String key = keys.getOrDefault(flow.id() + " " + flow.size(), "");
        List<ObservedActivityAttempt> attempts = tried.getOrDefault(key, List.of());
        int number = attempts.stream().mapToInt(ObservedActivityAttempt::attempt).max().orElse(0);
        if (number > HOPELESS && number > HOPELESS + faults(history, attempts)) {
          findings.add(
              ViolationKind.COUNT.found(
                  "%s of %s was tried %d times instead of %d", key, flow.text(), number, HOPELESS));
        }
      }
    }
    return findings;
  }

  /** Faults that could be felt between the first attempt and the last. */
  private static long faults(FlowHistory history, List<ObservedActivityAttempt> attempts) {
    List<Instant> begun =
        attempts.stream().map(ObservedActivityAttempt::startedAt).sorted().toList();
    return history.evidence().troubles().stream()
        .filter(window -> window.touches(begun.getFirst(), begun.getLast()))
        .count();
  }

  private static void timers(TestFlow flow, List<EventRow> events, List<RuleViolation> findings) {
    List<Duration> wanted =
        IntStream.range(0, flow.size()).boxed().flatMap(i -> flow.pause(i).stream()).toList();
    List<EventRow> timers = events.stream().filter(EventRow::timer).toList();
    if (timers.size() > wanted.size()) {
      findings.add(
          ViolationKind.INVENTED.found(flow.text() + " has %d timers".formatted(timers.size())));
    }
    for (int i = 0; i < Math.min(timers.size(), wanted.size()); i++) {
      EventRow timer = timers.get(i);
      Duration span = Duration.between(timer.written(), timer.fireAt().orElse(timer.written()));
      if (span.minus(wanted.get(i)).compareTo(NEARLY) > 0) {
        findings.add(
            ViolationKind.INTERVAL.found("%s should last %d ms", timer, wanted.get(i).toMillis()));
      }
    }
  }
}
