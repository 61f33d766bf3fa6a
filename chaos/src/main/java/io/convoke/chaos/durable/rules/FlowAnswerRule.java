package io.convoke.chaos.durable.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Each activity, sub-workflow and timer completes at most once and after it was scheduled; in an
 * execution that has ended all activities and sub-workflows have completed. A schedule that is
 * turned off does not wait for its last run, which {@link ScheduleRule} judges.
 */
final class FlowAnswerRule implements Rule<FlowHistory> {
  @Override
  public List<RuleViolation> check(FlowHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    history.runs().values().forEach(events -> check(events, findings));
    return findings;
  }

  private static void check(List<EventRow> events, List<RuleViolation> findings) {
    Map<Long, EventRow> orders = new HashMap<>();
    Map<Long, EventRow> answers = new HashMap<>();
    for (EventRow event : events) {
      if (event.activity() || event.child() || event.timer()) {
        var _ = orders.put(event.id(), event);
      }
      if (event.answer()) {
        long order = event.order().orElse(0L);
        EventRow given = orders.get(order);
        if (given == null || given.timer() != event.type().equals("TimerFired")) {
          findings.add(
              ViolationKind.ILLEGAL.found(
                  event + " completes " + (given == null ? "no scheduled event" : given.type())));
        }
        EventRow before = answers.put(order, event);
        if (before != null) {
          findings.add(
              ViolationKind.DUPLICATED.found(
                  "%s: scheduled event %d is completed by events %d and %d",
                  event.run(), order, before.id(), event.id()));
        }
      }
    }
    boolean over = events.stream().anyMatch(EventRow::end);
    orders.values().stream()
        .filter(order -> over && !order.timer() && !order.scheduledRun())
        .filter(order -> !answers.containsKey(order.id()))
        .forEach(order -> findings.add(ViolationKind.LOST.found(order + " never completed")));
  }
}
