package io.convoke.chaos.durable.rules;

import io.convoke.chaos.durable.flow.TestFlow;
import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Every acknowledged flow ended once, with its expected result; there are no other instances. */
final class FlowEndRule implements Rule<FlowHistory> {
  @Override
  public List<RuleViolation> check(FlowHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, List<ExecutionRow>> executions =
        history.executions().stream().collect(Collectors.groupingBy(ExecutionRow::instance));
    Set<String> there =
        history.instances().stream().map(InstanceRow::id).collect(Collectors.toSet());
    Map<String, Long> current = new HashMap<>();
    history.instances().forEach(row -> current.put(row.id(), row.execution()));
    for (TestFlow flow : history.flows()) {
      if (!history.acknowledged().contains(flow.id())) {
        findings.add(ViolationKind.LOST.found(flow.text() + ": its start was never acked"));
        continue;
      }
      for (String instance : flow.instances()) {
        if (!there.contains(instance)) {
          findings.add(ViolationKind.LOST.found(flow.text() + ": no instance " + instance));
        }
      }
      List<ExecutionRow> own = executions.getOrDefault(flow.id(), List.of());
      long last = current.getOrDefault(flow.id(), 0L);
      ended(flow, own.stream().filter(run -> run.id() == last).findFirst())
          .ifPresent(findings::add);
      if (own.size() != flow.executions()) {
        findings.add(
            (own.size() > flow.executions() ? ViolationKind.DUPLICATED : ViolationKind.LOST)
                .found(
                    "%s: %d executions instead of %d", flow.text(), own.size(), flow.executions()));
      }
    }
    Set<String> wanted =
        history.flows().stream()
            .flatMap(flow -> flow.instances().stream())
            .collect(Collectors.toSet());
    there.stream()
        .filter(id -> !wanted.contains(id) && !scheduled(history, id))
        .sorted()
        .forEach(id -> findings.add(ViolationKind.INVENTED.found(id + " was never started")));
    return findings;
  }

  private static boolean scheduled(FlowHistory history, String id) {
    String schedule = history.evidence().schedule();
    return !schedule.isEmpty()
        && (id.startsWith(schedule + "@") || id.equals("schedule:" + schedule));
  }

  private static Optional<RuleViolation> ended(TestFlow flow, Optional<ExecutionRow> last) {
    String status = last.map(ExecutionRow::status).orElse("nowhere");
    if (!status.equals("Completed")) {
      boolean open = status.equals("nowhere") || status.equals("Running");
      return Optional.of(
          (open ? ViolationKind.LOST : ViolationKind.ILLEGAL)
              .found(
                  "%s is %s: %s",
                  flow.text(), status, last.flatMap(ExecutionRow::output).orElse("-")));
    }
    String output = last.flatMap(ExecutionRow::output).orElse("nothing");
    return output.equals(Long.toString(flow.output()))
        ? Optional.empty()
        : Optional.of(
            ViolationKind.ILLEGAL.found(
                "%s returned %s instead of %d", flow.text(), output, flow.output()));
  }
}
