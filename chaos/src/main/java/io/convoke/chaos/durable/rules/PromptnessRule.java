package io.convoke.chaos.durable.rules;

import io.convoke.chaos.durable.flow.TestFlow;
import io.convoke.chaos.kernel.Rule;
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

/**
 * Work goes on as soon as it can: an activity begins soon after it was scheduled, its result is
 * written soon after it ended, and a timer fires soon after it is due. While nothing else happens
 * this shows each wake-up that is lost, which otherwise the next one would hide.
 */
final class PromptnessRule implements Rule<FlowHistory> {
  /** Without faults and load: far less than the fallback poll. */
  private static final Duration CALM_MAX = Duration.ofSeconds(2);

  /** Timers during the fault phase, outside of faults. */
  private static final Duration BUSY_MAX = Duration.ofMillis(2500);

  @Override
  public List<RuleViolation> check(FlowHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Set<String> calm = new HashSet<>();
    history.evidence().calm().stream().map(TestFlow::id).forEach(calm::add);
    Map<String, EventRow> scheduled = new HashMap<>();
    Map<String, List<ObservedActivityAttempt>> attempts = history.triedByKey();
    for (EventRow event : history.events()) {
      boolean quiet = calm.contains(event.instance());
      if (event.activity() || event.timer()) {
        scheduled.put(event.key(event.id()), event);
      }
      if (event.activity() && quiet) {
        attempts.getOrDefault(event.key(event.id()), List.of()).stream()
            .map(ObservedActivityAttempt::startedAt)
            .min(Instant::compareTo)
            .flatMap(begun -> late(event.written(), begun, CALM_MAX))
            .ifPresent(took -> findings.add(found(event, "began", took)));
      }
      EventRow order = scheduled.get(event.key(event.order().orElse(0L)));
      if (order != null && event.type().equals("TimerFired")) {
        Instant due = order.fireAt().orElse(event.written());
        Optional<Duration> took = late(due, event.written(), quiet ? CALM_MAX : BUSY_MAX);
        if (took.isPresent()
            && (quiet || !history.evidence().troubled(order.written(), event.written()))) {
          findings.add(found(event, "fired", took.get()));
        }
      } else if (order != null && quiet && event.answer()) {
        attempts.getOrDefault(event.key(order.id()), List.of()).stream()
            .flatMap(attempt -> attempt.ended().stream())
            .max(Instant::compareTo)
            .flatMap(ended -> late(ended, event.written(), CALM_MAX))
            .ifPresent(took -> findings.add(found(event, "was written", took)));
      }
    }
    return findings;
  }

  private static Optional<Duration> late(Instant since, Instant at, Duration most) {
    return Optional.of(Duration.between(since, at)).filter(took -> took.compareTo(most) > 0);
  }

  private static RuleViolation found(EventRow event, String what, Duration took) {
    return ViolationKind.LATE.found("%s %s %d ms late", event, what, took.toMillis());
  }
}
