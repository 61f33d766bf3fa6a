package io.convoke.chaos.durable.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Timers use the database's clock: none fires before it is due, and none is due later than
 * requested, whatever the clocks of nodes and clients.
 */
final class TimerRule implements Rule<FlowHistory> {
  /** Due times have millisecond, transaction times microsecond precision. */
  private static final Duration EXACT = Duration.ofMillis(1);

  /**
   * A turn's time is that of the message received, written by a node whose estimate of the
   * database's time is approximate.
   */
  private static final Duration NEARLY = Duration.ofMillis(500);

  @Override
  public List<RuleViolation> check(FlowHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, EventRow> timers = new HashMap<>();
    for (EventRow event : history.events()) {
      if (event.timer()) {
        var _ = timers.put(event.key(event.id()), event);
        Instant due = event.fireAt().orElse(event.written());
        if (due.isAfter(event.written().plus(history.timerMax()).plus(NEARLY))) {
          findings.add(
              ViolationKind.INTERVAL.found(
                  event + " is due later than " + history.timerMax().toMillis() + " ms from then"));
        }
      }
      EventRow timer =
          event.type().equals("TimerFired")
              ? timers.get(event.key(event.order().orElse(0L)))
              : null;
      if (timer != null
          && event.written().plus(EXACT).isBefore(timer.fireAt().orElse(event.written()))) {
        findings.add(ViolationKind.INTERVAL.found(event + " fired early, see " + timer));
      }
    }
    return findings;
  }
}
