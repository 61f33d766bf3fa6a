package io.convoke.lab.chaos.dispatch.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Nobody is given a task that has waited for longer than it may, and none is called late before.
 * Both are Redis' own clock.
 */
final class WindowRule implements TaskRule {
  /** Where Redis forgot something, the ledger's clock and the way to it count too. */
  private static final Duration BY_LEDGER = Duration.ofSeconds(1);

  private static final Duration GRAIN = Duration.ofMillis(2);

  @Override
  public List<Finding> check(TaskHistory history) {
    List<Finding> findings = new ArrayList<>();
    history.story().values().forEach(moves -> of(history, moves, findings));
    return findings;
  }

  /** What was accepted and could not be told to Redis at once has waited since then. */
  private static Instant began(TaskHistory history, List<Move> moves, Move move) {
    return history
        .row(move.id())
        .map(Row::createdAt)
        .filter(created -> move.equals(moves.getFirst()) && created.isBefore(move.at()))
        .orElse(move.at());
  }

  private static void of(TaskHistory history, List<Move> moves, List<Finding> findings) {
    // When it began to wait, and when that was told last: after a loss it is told once more.
    Instant first = null;
    Instant since = null;
    Duration window = history.limits().window();
    for (Move move : moves) {
      if (since != null && first != null) {
        Duration waited = Duration.between(since, move.at());
        Duration whole = Duration.between(first, move.at());
        Duration grain = history.troubled(since, move.at()) ? BY_LEDGER : GRAIN;
        if (move.claim() && waited.compareTo(window.plus(grain)) > 0) {
          findings.add(new Finding(Kind.LATE, move + ": it had waited for " + waited));
        }
        if (move.state().equals("TIMEOUT") && whole.plus(grain).compareTo(window) < 0) {
          findings.add(new Finding(Kind.ILLEGAL, move + ": it had waited for " + whole + " only"));
        }
      }
      boolean waits = move.state().equals("PENDING");
      first = !waits ? null : first == null ? began(history, moves, move) : first;
      since = waits ? move.at() : null;
    }
  }
}
