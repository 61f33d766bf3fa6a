package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.history.RuleViolation;
import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What was stopped is not started: no attempt is given out after the stop was acknowledged, and it
 * ends as something that was stopped, or had ended before. A stop that was acknowledged while Redis
 * was away is written down and told to Redis later; until then somebody may be given the task.
 */
final class StoppedTaskRule implements TaskRule {
  private static final Duration GRAIN = Duration.ofMillis(5);

  /** From a claim to the first word of its program, on a machine that is full of others. */
  private static final Duration START_MAX = Duration.ofSeconds(4);

  @Override
  public List<RuleViolation> check(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, List<TaskMove>> story = history.story();
    for (StopCall stopCall : history.stops()) {
      if (stopCall.acknowledged()) {
        List<TaskMove> moves = story.getOrDefault(stopCall.id(), List.of());
        started(history, stopCall, moves, findings);
        ended(history, stopCall, findings);
      }
    }
    return findings;
  }

  private static void started(
      TaskHistory history, StopCall stopCall, List<TaskMove> moves, List<RuleViolation> findings) {
    if (untold(history, stopCall)) {
      return;
    }
    Instant from = stopCall.answered().plus(GRAIN);
    for (TaskMove taskMove : moves) {
      if (taskMove.claim() && taskMove.at().isAfter(from)) {
        findings.add(
            new RuleViolation(
                ViolationKind.ILLEGAL, taskMove + " was given out after " + stopCall));
      }
    }
    for (ObservedAttempt observedAttempt : history.attempts(stopCall.id())) {
      if (observedAttempt.startedAt().isAfter(from.plus(START_MAX))) {
        findings.add(
            new RuleViolation(ViolationKind.ILLEGAL, observedAttempt + " began after " + stopCall));
      }
    }
  }

  /** Redis may not have heard of it at once. */
  private static boolean untold(TaskHistory history, StopCall stopCall) {
    return history.troubled(stopCall.sent().minusSeconds(1), stopCall.answered().plus(GRAIN));
  }

  private static void ended(TaskHistory history, StopCall stopCall, List<RuleViolation> findings) {
    Optional<TaskRow> found = history.row(stopCall.id());
    if (found.isEmpty()) {
      findings.add(
          new RuleViolation(ViolationKind.LOST, stopCall + ": the ledger has no such task"));
      return;
    }
    TaskRow taskRow = found.get();
    boolean before =
        taskRow.completedAt().map(at -> at.isBefore(stopCall.answered())).orElse(false);
    boolean stopped =
        taskRow.state().equals("SUCCESS")
            || (taskRow.state().equals("FAILED") && taskRow.error().equals("stopped"))
            || (taskRow.state().equals("TIMEOUT") && untold(history, stopCall));
    if (!before && !stopped && taskRow.terminal()) {
      findings.add(
          new RuleViolation(
              ViolationKind.ILLEGAL, taskRow + " does not end as stopped by " + stopCall));
    }
  }
}
