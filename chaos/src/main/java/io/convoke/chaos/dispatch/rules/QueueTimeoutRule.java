package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.history.RuleViolation;
import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * No pod is given a task that has waited for longer than it may, or whose delay before another try
 * is not over, and no task times out early. All times are Redis' own clock.
 */
final class QueueTimeoutRule implements TaskRule {
  /** Where Redis forgot something, the database's clock and the way to it count too. */
  private static final Duration BY_DATABASE = Duration.ofSeconds(1);

  private static final Duration GRAIN = Duration.ofMillis(2);

  @Override
  public List<RuleViolation> check(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    history.story().values().forEach(moves -> of(history, moves, findings));
    return findings;
  }

  /** What was accepted and could not be given to Redis at once has waited since then. */
  private static Instant began(TaskHistory history, List<TaskMove> moves, TaskMove taskMove) {
    return history
        .row(taskMove.id())
        .map(TaskRow::createdAt)
        .filter(created -> taskMove.equals(moves.getFirst()) && created.isBefore(taskMove.at()))
        .orElse(taskMove.pendingAt().orElse(taskMove.at()));
  }

  private static void of(TaskHistory history, List<TaskMove> moves, List<RuleViolation> findings) {
    // When it began to wait, and when that was written last: after a loss it is written once more.
    Instant first = null;
    Instant since = null;
    Duration window = history.limits().window();
    for (TaskMove taskMove : moves) {
      if (since != null && first != null) {
        Duration waited = Duration.between(since, taskMove.at());
        Duration whole = Duration.between(first, taskMove.at());
        boolean troubled = history.troubled(min(since, taskMove.at()), taskMove.at());
        Duration grain = troubled ? BY_DATABASE : GRAIN;
        if (taskMove.claim() && waited.compareTo(window.plus(grain)) > 0) {
          findings.add(
              new RuleViolation(ViolationKind.LATE, taskMove + ": it had waited for " + waited));
        }
        if (taskMove.claim() && whole.plus(grain).isNegative()) {
          findings.add(
              new RuleViolation(
                  ViolationKind.ILLEGAL, taskMove + ": it was to wait until " + first));
        }
        if (taskMove.state().equals("TIMEOUT") && whole.plus(grain).compareTo(window) < 0) {
          findings.add(
              new RuleViolation(
                  ViolationKind.ILLEGAL, taskMove + ": it had waited for " + whole + " only"));
        }
      }
      boolean waits = taskMove.state().equals("PENDING");
      first = !waits ? null : first == null ? began(history, moves, taskMove) : first;
      since = waits ? taskMove.pendingAt().orElse(taskMove.at()) : null;
    }
  }

  private static Instant min(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }
}
