package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Of the tasks requested as unique in their channel, at most one is open at a time. */
final class UniqueChannelRule implements Rule<TaskHistory> {
  @Override
  public List<RuleViolation> check(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    // By what was asked for: the row says what the server made of it.
    Set<String> asked =
        history.requestedTasks().stream()
            .filter(RequestedTask::unique)
            .map(RequestedTask::request)
            .collect(Collectors.toSet());
    Map<String, List<TaskRow>> byChannel =
        history.rows().stream()
            .filter(row -> row.unique() || asked.contains(row.request()))
            .collect(Collectors.groupingBy(TaskRow::channel));
    for (List<TaskRow> rows : byChannel.values()) {
      List<TaskRow> sorted =
          rows.stream().sorted(Comparator.comparing(TaskRow::createdAt)).toList();
      for (int i = 1; i < sorted.size(); i++) {
        TaskRow before = sorted.get(i - 1);
        TaskRow next = sorted.get(i);
        if (before.completedAt().map(at -> at.isAfter(next.createdAt())).orElse(true)) {
          findings.add(
              ViolationKind.DUPLICATED.found(
                  "a unique channel has two tasks: " + before + " " + next));
        }
      }
    }
    return findings;
  }
}
