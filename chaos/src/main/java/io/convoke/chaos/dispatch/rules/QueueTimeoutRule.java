package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * No task is claimed after its queue timeout or before its retry delay is over, and none expires
 * before its queue timeout. All times are Redis' own clock. Where Redis lost its data it may have
 * lost whole attempts, too: if the number of a claim shows that, it is not known how long the task
 * had waited.
 */
final class QueueTimeoutRule implements Rule<TaskHistory> {
  /** Tolerance where Redis lost data, so that the database's clock and latency count too. */
  private static final Duration BY_DATABASE = Duration.ofSeconds(1);

  private static final Duration GRAIN = Duration.ofMillis(2);

  @Override
  public List<RuleViolation> check(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    history.transitionsByTask().values().forEach(transitions -> of(history, transitions, findings));
    return findings;
  }

  /** Accepted tasks that could not be enqueued in Redis at once have waited since then. */
  private static Instant began(
      TaskHistory history, List<ObservedTransition> transitions, ObservedTransition transition) {
    return history
        .row(transition.id())
        .map(TaskRow::createdAt)
        .filter(
            created ->
                transition.equals(transitions.getFirst()) && created.isBefore(transition.at()))
        .orElse(transition.pendingAt().orElse(transition.at()));
  }

  private static void of(
      TaskHistory history, List<ObservedTransition> transitions, List<RuleViolation> findings) {
    // When it began to wait, and when that was last recorded: a rebuild records it again.
    Instant first = null;
    Instant since = null;
    int attempt = 0;
    Duration window = history.limits().window();
    for (ObservedTransition transition : transitions) {
      if (since != null && first != null) {
        Duration waited = Duration.between(since, transition.at());
        Duration whole = Duration.between(first, transition.at());
        boolean troubled = history.troubled(min(since, transition.at()), transition.at());
        Duration grain = troubled ? BY_DATABASE : GRAIN;
        boolean known =
            transition.attempt() <= attempt + 1
                || !history.forgotten(min(since, transition.at()), transition.at());
        if (transition.claim() && known && waited.compareTo(window.plus(grain)) > 0) {
          findings.add(ViolationKind.LATE.found(transition + ": it had waited for " + waited));
        }
        if (transition.claim() && whole.plus(grain).isNegative()) {
          findings.add(
              ViolationKind.ILLEGAL.found(transition + ": its retry delay ends at " + first));
        }
        if (transition.state().equals("TIMEOUT") && whole.plus(grain).compareTo(window) < 0) {
          findings.add(
              ViolationKind.ILLEGAL.found(transition + ": it had waited for " + whole + " only"));
        }
      }
      boolean waits = transition.state().equals("PENDING");
      first = !waits ? null : first == null ? began(history, transitions, transition) : first;
      since = waits ? transition.pendingAt().orElse(transition.at()) : null;
      attempt = transition.attempt();
    }
  }

  private static Instant min(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }
}
