package io.convoke.chaos.durable.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A history begins with its start event, numbers its events without gaps, has exactly one end event
 * as its last, and matches the execution's row; all but the last execution continued as new.
 */
final class ExecutionRule implements Rule<FlowHistory> {
  private static final Map<String, String> STATUS =
      Map.of(
          "WorkflowCompleted", "Completed",
          "WorkflowFailed", "Failed",
          "ContinuedAsNew", "ContinuedAsNew");

  @Override
  public List<RuleViolation> check(FlowHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, ExecutionRow> rows = new HashMap<>();
    history.executions().forEach(row -> rows.put(row.instance() + "/" + row.id(), row));
    history.runs().forEach((run, events) -> check(run, events, rows.remove(run), findings));
    rows.keySet()
        .forEach(run -> findings.add(ViolationKind.GAP.found(run + " has a row and no history")));
    history
        .instances()
        .forEach(
            instance -> {
              long known =
                  history.executions().stream()
                      .filter(row -> row.instance().equals(instance.id()))
                      .count();
              if (known != instance.execution()) {
                findings.add(
                    ViolationKind.SEQUENCE.found(
                        "%s is at execution %d and has %d in its history",
                        instance.id(), instance.execution(), known));
              }
            });
    return findings;
  }

  private static void check(
      String run, List<EventRow> events, @Nullable ExecutionRow row, List<RuleViolation> findings) {
    for (int i = 0; i < events.size(); i++) {
      if (events.get(i).id() != i + 1) {
        findings.add(
            ViolationKind.GAP.found("%s: event %d follows %d", run, events.get(i).id(), i));
        break;
      }
    }
    List<EventRow> starts = events.stream().filter(e -> e.type().equals("Started")).toList();
    if (starts.size() != 1 || !events.getFirst().type().equals("Started")) {
      findings.add(
          (starts.size() > 1 ? ViolationKind.DUPLICATED : ViolationKind.ILLEGAL)
              .found(
                  "%s begins with %s and has %d starts",
                  run, events.getFirst().type(), starts.size()));
    }
    List<EventRow> ends = events.stream().filter(EventRow::end).toList();
    if (ends.size() > 1 || (!ends.isEmpty() && !events.getLast().end())) {
      findings.add(
          (ends.size() > 1 ? ViolationKind.DUPLICATED : ViolationKind.ILLEGAL)
              .found(
                  "%s has %d ends and continues with %s",
                  run, ends.size(), events.getLast().type()));
    }
    String status = ends.isEmpty() ? "Running" : STATUS.getOrDefault(ends.getLast().type(), "?");
    String recorded = row == null ? "missing" : row.status();
    if (!status.equals(recorded)) {
      findings.add(
          ViolationKind.ILLEGAL.found(
              "%s is %s by its history, its row is %s", run, status, recorded));
    }
  }
}
