package io.convoke.lab.chaos.dispatch.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A task's moves are those of its lifecycle, each from where the last one ended; the ledger, and
 * what servers show, is where the last one left it. Where Redis forgot something in between, moves
 * may be missing, but an end stays an end and attempts do not go back.
 */
final class StoryRule implements TaskRule {
  private static final String STOPPING = "STOPPING";
  private static final Map<String, Set<String>> LEGAL =
      Map.of(
          "",
          Set.of("PENDING"),
          "PENDING",
          Set.of("PROCESSING", "TIMEOUT", "FAILED"),
          "PROCESSING",
          Set.of(STOPPING, "SUCCESS", "FAILED", "PENDING"),
          STOPPING,
          Set.of("SUCCESS"));

  @Override
  public List<Finding> check(TaskHistory history) {
    List<Finding> findings = new ArrayList<>();
    Map<String, List<Move>> story = history.story();
    for (Row row : history.rows()) {
      List<Move> moves = story.getOrDefault(row.id(), List.of());
      moves(history, row, moves, findings);
      end(row, moves, findings);
    }
    for (Shown shown : history.shown()) {
      same(history, shown)
          .ifPresent(why -> findings.add(new Finding(Kind.GAP, shown + ": " + why)));
    }
    return findings;
  }

  private static void moves(
      TaskHistory history, Row row, List<Move> moves, List<Finding> findings) {
    String from = "";
    Move last = null;
    for (Move move : moves) {
      String to = move.type().equals(Move.STOPPING) ? STOPPING : move.state();
      boolean gap =
          history.forgotten(last == null ? row.createdAt() : last.at(), move.at().plusSeconds(1));
      if (Row.terminal(from)) {
        findings.add(new Finding(Kind.ILLEGAL, move + ": it had ended as " + from));
      } else if (!gap && !unheard(from, move) && !LEGAL.getOrDefault(from, Set.of()).contains(to)) {
        findings.add(new Finding(Kind.ILLEGAL, move + ": there is no such move from " + from));
      }
      int before = last == null ? 0 : last.attempt();
      boolean claim = from.equals("PENDING") && to.equals("PROCESSING");
      if (gap ? move.attempt() < before : move.attempt() != before + (claim ? 1 : 0)) {
        findings.add(new Finding(Kind.COUNT, move + ": the attempt before was " + before));
      }
      from = to;
      last = move;
    }
  }

  /** Stopped before Redis heard of it at all: whoever took it in died before it could tell. */
  private static boolean unheard(String from, Move move) {
    return from.isEmpty() && move.state().equals("FAILED") && move.error().equals("stopped");
  }

  private static void end(Row row, List<Move> moves, List<Finding> findings) {
    if (moves.isEmpty()) {
      if (row.terminal()) {
        findings.add(new Finding(Kind.GAP, row + " has ended, the journal has no move of it"));
      }
      return;
    }
    Move last = moves.getLast();
    boolean same =
        last.state().equals(row.state())
            && last.attempt() == row.attempt()
            && last.error().equals(row.error())
            && row.completedAt()
                .equals(last.terminal() ? Optional.of(last.at()) : Optional.empty());
    if (!same) {
      findings.add(new Finding(Kind.GAP, row + " is not where the journal left it: " + last));
    }
  }

  private static Optional<String> same(TaskHistory history, Shown shown) {
    Optional<Row> row = history.row(shown.id());
    if (row.isEmpty()) {
      return Optional.of("the ledger has no such task");
    }
    boolean same =
        row.get().state().equals(shown.state())
            && row.get().attempt() == shown.attempt()
            && row.get().error().equals(shown.error());
    if (!same) {
      return Optional.of("the ledger says " + row.get());
    }
    List<Long> journal =
        history.moves().stream()
            .filter(move -> move.id().equals(shown.id()))
            .map(Move::seq)
            .toList();
    return journal.equals(shown.timeline())
        ? Optional.empty()
        : Optional.of("the journal has " + journal);
  }
}
