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
    for (StopCall stopCall : history.stops()) {
      if (stopCall.acknowledged()) {
        List<ObservedTransition> transitions =
            transitionsByTask.getOrDefault(stopCall.id(), List.of());
        started(history, stopCall, transitions, findings);
        ended(history, stopCall, findings);
      }
    }
    return findings;
  }

  private static void started(
      TaskHistory history,
      StopCall stopCall,
      List<ObservedTransition> transitions,
      List<RuleViolation> findings) {
    if (mayBeLate(history, stopCall)) {
      return;
    }
    Instant from = stopCall.answered().plus(GRAIN);
    for (ObservedTransition transition : transitions) {
      if (transition.claim() && transition.at().isAfter(from)) {
        findings.add(ViolationKind.ILLEGAL.found(transition + " was claimed after " + stopCall));
      }
    }
    for (ObservedAttempt observedAttempt : history.attempts(stopCall.id())) {
      if (observedAttempt.startedAt().isAfter(from.plus(START_MAX))) {
        findings.add(ViolationKind.ILLEGAL.found(observedAttempt + " began after " + stopCall));
      }
    }
  }

  /** Whether Redis may have received the stop late. */
  private static boolean mayBeLate(TaskHistory history, StopCall stopCall) {
    return history.troubled(stopCall.sent().minusSeconds(1), stopCall.answered().plus(GRAIN));
  }

  private static void ended(TaskHistory history, StopCall stopCall, List<RuleViolation> findings) {
    Optional<TaskRow> found = history.row(stopCall.id());
    if (found.isEmpty()) {
      findings.add(ViolationKind.LOST.found(stopCall + ": the database has no such task"));
      return;
    }
    TaskRow taskRow = found.get();
    boolean before =
        taskRow.completedAt().map(at -> at.isBefore(stopCall.answered())).orElse(false);
    boolean stopped =
        taskRow.state().equals("SUCCESS")
            || (taskRow.state().equals("FAILED") && taskRow.error().equals("stopped"))
            || (taskRow.state().equals("TIMEOUT") && mayBeLate(history, stopCall));
    if (!before && !stopped && taskRow.terminal()) {
      findings.add(
          ViolationKind.ILLEGAL.found(taskRow + " does not end as stopped by " + stopCall));
    }
  }
}
