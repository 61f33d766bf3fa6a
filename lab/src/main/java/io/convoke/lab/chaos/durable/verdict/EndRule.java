package io.convoke.lab.chaos.durable.verdict;

import io.convoke.lab.chaos.durable.flow.Flow;
import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Every flow that was acknowledged ended, once, with what it must come to; nothing else exists. */
final class EndRule implements FlowRule {
  @Override
  public List<Finding> check(FlowHistory history) {
    List<Finding> findings = new ArrayList<>();
    Map<String, List<ExecutionRow>> executions =
        history.executions().stream().collect(Collectors.groupingBy(ExecutionRow::instance));
    Set<String> there =
        history.instances().stream().map(InstanceRow::id).collect(Collectors.toSet());
    Map<String, Long> current = new HashMap<>();
    history.instances().forEach(row -> current.put(row.id(), row.execution()));
    for (Flow flow : history.flows()) {
      if (!history.acknowledged().contains(flow.id())) {
        findings.add(new Finding(Kind.LOST, flow.text() + ": its start was never acknowledged"));
        continue;
      }
      for (String instance : flow.instances()) {
        if (!there.contains(instance)) {
          findings.add(new Finding(Kind.LOST, flow.text() + ": there is no instance " + instance));
        }
      }
      List<ExecutionRow> own = executions.getOrDefault(flow.id(), List.of());
      long last = current.getOrDefault(flow.id(), 0L);
      ended(flow, own.stream().filter(run -> run.id() == last).findFirst())
          .ifPresent(findings::add);
      if (own.size() != flow.executions()) {
        findings.add(
            new Finding(
                own.size() > flow.executions() ? Kind.DUPLICATED : Kind.LOST,
                "%s: %d executions instead of %d"
                    .formatted(flow.text(), own.size(), flow.executions())));
      }
    }
    Set<String> wanted =
        history.flows().stream()
            .flatMap(flow -> flow.instances().stream())
            .collect(Collectors.toSet());
    there.stream()
        .filter(id -> !wanted.contains(id))
        .sorted()
        .forEach(id -> findings.add(new Finding(Kind.INVENTED, "nobody started " + id)));
    return findings;
  }

  private static Optional<Finding> ended(Flow flow, Optional<ExecutionRow> last) {
    String status = last.map(ExecutionRow::status).orElse("nowhere");
    if (!status.equals("Completed")) {
      boolean open = status.equals("nowhere") || status.equals("Running");
      return Optional.of(
          new Finding(
              open ? Kind.LOST : Kind.ILLEGAL,
              "%s is %s: %s"
                  .formatted(flow.text(), status, last.flatMap(ExecutionRow::output).orElse("-"))));
    }
    String output = last.flatMap(ExecutionRow::output).orElse("nothing");
    return output.equals(Long.toString(flow.output()))
        ? Optional.empty()
        : Optional.of(
            new Finding(
                Kind.ILLEGAL,
                "%s came to %s instead of %d".formatted(flow.text(), output, flow.output())));
  }
}
