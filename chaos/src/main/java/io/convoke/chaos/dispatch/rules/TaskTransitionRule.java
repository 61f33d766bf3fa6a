package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Tasks make only valid transitions, each from the status before it; the task table and the
 * servers' views have the last one. Where Redis lost data, transitions may be missing, but terminal
 * states are final and attempts do not decrease.
 */
final class TaskTransitionRule implements Rule<TaskHistory> {
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
    Map<String, List<ObservedTransition>> transitionsByTask = history.transitionsByTask();
    for (TaskRow taskRow : history.rows()) {
      List<ObservedTransition> transitions =
          transitionsByTask.getOrDefault(taskRow.id(), List.of());
      transitions(history, taskRow, transitions, findings);
      end(taskRow, transitions, findings);
    }
    for (FinalTaskView view : history.shown()) {
      same(history, view)
          .ifPresent(why -> findings.add(ViolationKind.GAP.found(view + ": " + why)));
    }
    return findings;
  }

  private static void transitions(
      TaskHistory history,
      TaskRow taskRow,
      List<ObservedTransition> transitions,
      List<RuleViolation> findings) {
    String from = "";
    ObservedTransition last = null;
    for (ObservedTransition transition : transitions) {
      String to =
          transition.type().equals(ObservedTransition.STOPPING) ? STOPPING : transition.state();
      boolean gap =
          history.forgotten(
              last == null ? taskRow.createdAt() : last.at(), transition.at().plusSeconds(1));
      if (TaskRow.terminal(from)) {
        findings.add(ViolationKind.ILLEGAL.found(transition + ": it had ended as " + from));
      } else if (!gap
          && !lostClaim(from, transition)
          && !LEGAL.getOrDefault(from, Set.of()).contains(to)) {
        findings.add(ViolationKind.ILLEGAL.found(transition + ": no such transition from " + from));
      }
      int before = last == null ? 0 : last.attempt();
      boolean claim = from.equals("PENDING") && to.equals("PROCESSING");
      if (gap ? transition.attempt() < before : transition.attempt() != before + (claim ? 1 : 0)) {
        findings.add(ViolationKind.COUNT.found(transition + ": the attempt before was " + before));
      }
      from = to;
      last = transition;
    }
  }

  /** Stopped before it was enqueued in Redis: the accepting server died first. */
  private static boolean lostClaim(String from, ObservedTransition transition) {
    return from.isEmpty()
        && transition.state().equals("FAILED")
        && transition.error().equals("stopped");
  }

  private static void end(
      TaskRow taskRow, List<ObservedTransition> transitions, List<RuleViolation> findings) {
    if (transitions.isEmpty()) {
      if (taskRow.terminal()) {
        findings.add(
            ViolationKind.GAP.found(taskRow + " has ended, the journal has no transition of it"));
      }
      return;
    }
    ObservedTransition last = transitions.getLast();
    boolean same =
        last.state().equals(taskRow.state())
            && last.attempt() == taskRow.attempt()
            && last.error().equals(taskRow.error())
            && taskRow
                .completedAt()
                .equals(last.terminal() ? Optional.of(last.at()) : Optional.empty());
    if (!same) {
      findings.add(
          ViolationKind.GAP.found(taskRow + " differs from its last journal entry: " + last));
    }
  }

  private static Optional<String> same(TaskHistory history, FinalTaskView view) {
    Optional<TaskRow> row = history.row(view.id());
    if (row.isEmpty()) {
      return Optional.of("the database has no such task");
    }
    boolean same =
        row.get().state().equals(view.state())
            && row.get().attempt() == view.attempt()
            && row.get().error().equals(view.error());
    if (!same) {
      return Optional.of("the database has " + row.get());
    }
    List<Long> journal =
        history.transitions().stream()
            .filter(transition -> transition.id().equals(view.id()))
            .map(ObservedTransition::seq)
            .toList();
    return journal.equals(view.timeline())
        ? Optional.empty()
        : Optional.of("the journal has " + journal);
  }
}
