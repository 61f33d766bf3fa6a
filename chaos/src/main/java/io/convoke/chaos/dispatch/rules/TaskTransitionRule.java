package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.history.RuleViolation;
import io.convoke.chaos.history.RuleViolation.ViolationKind;
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
final class TaskTransitionRule implements TaskRule {
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
  public List<RuleViolation> check(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, List<TaskMove>> story = history.story();
    for (TaskRow taskRow : history.rows()) {
      List<TaskMove> moves = story.getOrDefault(taskRow.id(), List.of());
      moves(history, taskRow, moves, findings);
      end(taskRow, moves, findings);
    }
    for (FinalTaskView finalTaskView : history.shown()) {
      same(history, finalTaskView)
          .ifPresent(
              why ->
                  findings.add(new RuleViolation(ViolationKind.GAP, finalTaskView + ": " + why)));
    }
    return findings;
  }

  private static void moves(
      TaskHistory history, TaskRow taskRow, List<TaskMove> moves, List<RuleViolation> findings) {
    String from = "";
    TaskMove last = null;
    for (TaskMove taskMove : moves) {
      String to = taskMove.type().equals(TaskMove.STOPPING) ? STOPPING : taskMove.state();
      boolean gap =
          history.forgotten(
              last == null ? taskRow.createdAt() : last.at(), taskMove.at().plusSeconds(1));
      if (TaskRow.terminal(from)) {
        findings.add(
            new RuleViolation(ViolationKind.ILLEGAL, taskMove + ": it had ended as " + from));
      } else if (!gap
          && !unheard(from, taskMove)
          && !LEGAL.getOrDefault(from, Set.of()).contains(to)) {
        findings.add(
            new RuleViolation(
                ViolationKind.ILLEGAL, taskMove + ": there is no such move from " + from));
      }
      int before = last == null ? 0 : last.attempt();
      boolean claim = from.equals("PENDING") && to.equals("PROCESSING");
      if (gap ? taskMove.attempt() < before : taskMove.attempt() != before + (claim ? 1 : 0)) {
        findings.add(
            new RuleViolation(
                ViolationKind.COUNT, taskMove + ": the attempt before was " + before));
      }
      from = to;
      last = taskMove;
    }
  }

  /** Stopped before Redis heard of it at all: whoever took it in died before it could tell. */
  private static boolean unheard(String from, TaskMove taskMove) {
    return from.isEmpty()
        && taskMove.state().equals("FAILED")
        && taskMove.error().equals("stopped");
  }

  private static void end(TaskRow taskRow, List<TaskMove> moves, List<RuleViolation> findings) {
    if (moves.isEmpty()) {
      if (taskRow.terminal()) {
        findings.add(
            new RuleViolation(
                ViolationKind.GAP, taskRow + " has ended, the journal has no move of it"));
      }
      return;
    }
    TaskMove last = moves.getLast();
    boolean same =
        last.state().equals(taskRow.state())
            && last.attempt() == taskRow.attempt()
            && last.error().equals(taskRow.error())
            && taskRow
                .completedAt()
                .equals(last.terminal() ? Optional.of(last.at()) : Optional.empty());
    if (!same) {
      findings.add(
          new RuleViolation(
              ViolationKind.GAP, taskRow + " is not where the journal left it: " + last));
    }
  }

  private static Optional<String> same(TaskHistory history, FinalTaskView finalTaskView) {
    Optional<TaskRow> row = history.row(finalTaskView.id());
    if (row.isEmpty()) {
      return Optional.of("the ledger has no such task");
    }
    boolean same =
        row.get().state().equals(finalTaskView.state())
            && row.get().attempt() == finalTaskView.attempt()
            && row.get().error().equals(finalTaskView.error());
    if (!same) {
      return Optional.of("the ledger says " + row.get());
    }
    List<Long> journal =
        history.moves().stream()
            .filter(taskMove -> taskMove.id().equals(finalTaskView.id()))
            .map(TaskMove::seq)
            .toList();
    return journal.equals(finalTaskView.timeline())
        ? Optional.empty()
        : Optional.of("the journal has " + journal);
  }
}
