package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A stopped task is not claimed: no claim follows the acknowledgement of the stop, and the task
 * ends as stopped or had ended before. A stop acknowledged while Redis was down is stored and
 * applied later; until then the task may be claimed.
 */
final class StoppedTaskRule implements Rule<TaskHistory> {
  private static final Duration GRAIN = Duration.ofMillis(5);

  /** Time from a claim to its program's first log line, on a busy machine. */
  private static final Duration START_MAX = Duration.ofSeconds(4);

  @Override
  public List<RuleViolation> check(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, List<ObservedTransition>> transitionsByTask = history.transitionsByTask();
    for (StopCall stop : history.stops()) {
      if (stop.acknowledged()) {
        List<ObservedTransition> transitions = transitionsByTask.getOrDefault(stop.id(), List.of());
        started(history, stop, transitions, findings);
        ended(history, stop, findings);
      }
    }
    return findings;
  }

  private static void started(
      TaskHistory history,
      StopCall stop,
      List<ObservedTransition> transitions,
      List<RuleViolation> findings) {
    if (mayBeLate(history, stop)) {
      return;
    }
    Instant from = stop.answered().plus(GRAIN);
    for (ObservedTransition transition : transitions) {
      if (transition.claim() && transition.at().isAfter(from)) {
        findings.add(ViolationKind.ILLEGAL.found(transition + " was claimed after " + stop));
      }
    }
    for (ObservedAttempt attempt : history.attempts(stop.id())) {
      if (attempt.startedAt().isAfter(from.plus(START_MAX))) {
        findings.add(ViolationKind.ILLEGAL.found(attempt + " began after " + stop));
      }
    }
  }

  /** Whether Redis may have received the stop late. */
  private static boolean mayBeLate(TaskHistory history, StopCall stop) {
    return history.troubled(stop.sent().minusSeconds(1), stop.answered().plus(GRAIN));
  }

  private static void ended(TaskHistory history, StopCall stop, List<RuleViolation> findings) {
    Optional<TaskRow> found = history.row(stop.id());
    if (found.isEmpty()) {
      findings.add(ViolationKind.LOST.found(stop + ": the database has no such task"));
      return;
    }
    TaskRow row = found.get();
    boolean before = row.completedAt().map(at -> at.isBefore(stop.answered())).orElse(false);
    boolean stopped =
        row.state().equals("SUCCESS")
            || (row.state().equals("FAILED") && row.error().equals("stopped"))
            || (row.state().equals("TIMEOUT") && mayBeLate(history, stop));
    if (!before && !stopped && row.terminal()) {
      findings.add(ViolationKind.ILLEGAL.found(row + " does not end as stopped by " + stop));
    }
  }
}
