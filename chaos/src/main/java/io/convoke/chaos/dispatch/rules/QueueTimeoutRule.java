package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.history.RuleViolation;
import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Nobody is given a task that has waited for longer than it may, and none is called late before.
 * Both are Redis' own clock.
 */
final class QueueTimeoutRule implements TaskRule {
  /** Where Redis forgot something, the ledger's clock and the way to it count too. */
  private static final Duration BY_LEDGER = Duration.ofSeconds(1);

  private static final Duration GRAIN = Duration.ofMillis(2);

  @Override
  public List<RuleViolation> check(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    history.story().values().forEach(moves -> of(history, moves, findings));
    return findings;
  }

  /** What was accepted and could not be told to Redis at once has waited since then. */
  private static Instant began(TaskHistory history, List<TaskMove> moves, TaskMove taskMove) {
    return history
        .row(taskMove.id())
        .map(TaskRow::createdAt)
        .filter(created -> taskMove.equals(moves.getFirst()) && created.isBefore(taskMove.at()))
        .orElse(taskMove.at());
  }

  private static void of(TaskHistory history, List<TaskMove> moves, List<RuleViolation> findings) {
    // When it began to wait, and when that was told last: after a loss it is told once more.
    Instant first = null;
    Instant since = null;
    Duration window = history.limits().window();
    for (TaskMove taskMove : moves) {
      if (since != null && first != null) {
        Duration waited = Duration.between(since, taskMove.at());
        Duration whole = Duration.between(first, taskMove.at());
        Duration grain = history.troubled(since, taskMove.at()) ? BY_LEDGER : GRAIN;
        if (taskMove.claim() && waited.compareTo(window.plus(grain)) > 0) {
          findings.add(
              new RuleViolation(ViolationKind.LATE, taskMove + ": it had waited for " + waited));
        }
        if (taskMove.state().equals("TIMEOUT") && whole.plus(grain).compareTo(window) < 0) {
          findings.add(
              new RuleViolation(
                  ViolationKind.ILLEGAL, taskMove + ": it had waited for " + whole + " only"));
        }
      }
      boolean waits = taskMove.state().equals("PENDING");
      first = !waits ? null : first == null ? began(history, moves, taskMove) : first;
      since = waits ? taskMove.at() : null;
    }
  }
}
