package io.convoke.chaos.durable.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.List;

/** A schedule without faults starts about one run each second while it exists, and each ends. */
final class ScheduleRule implements Rule<FlowHistory> {
  /** The first and the last second may be partial, and a busy machine may skip one. */
  private static final int LESS = 2;

  @Override
  public List<RuleViolation> check(FlowHistory history) {
    String schedule = history.evidence().schedule();
    if (schedule.isEmpty()) {
      return List.of();
    }
    List<RuleViolation> findings = new ArrayList<>();
    List<ExecutionRow> runs =
        history.executions().stream()
            .filter(row -> row.instance().startsWith(schedule + "@"))
            .toList();
    long seconds = history.evidence().scheduled().toSeconds();
    if (runs.size() < seconds - LESS || runs.size() > seconds + LESS) {
      findings.add(
          (runs.size() < seconds ? ViolationKind.LOST : ViolationKind.DUPLICATED)
              .found("the schedule had %d runs in %d s", runs.size(), seconds));
    }
    runs.stream()
        .filter(run -> !run.status().equals("Completed"))
        .forEach(run -> findings.add(ViolationKind.OPEN.found(run.toString())));
    return findings;
  }
}
