package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.history.RuleViolation;
import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Of the tasks requested as unique in their channel, at most one is open at a time. */
final class UniqueChannelRule implements TaskRule {
  @Override
  public List<RuleViolation> check(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, List<TaskRow>> byChannel =
        history.rows().stream()
            .filter(TaskRow::unique)
            .collect(Collectors.groupingBy(TaskRow::channel));
    for (List<TaskRow> rows : byChannel.values()) {
      List<TaskRow> sorted =
          rows.stream().sorted(Comparator.comparing(TaskRow::createdAt)).toList();
      for (int i = 1; i < sorted.size(); i++) {
        TaskRow before = sorted.get(i - 1);
        TaskRow next = sorted.get(i);
        if (before.completedAt().map(at -> at.isAfter(next.createdAt())).orElse(true)) {
          findings.add(
              new RuleViolation(
                  ViolationKind.DUPLICATED,
                  "a unique channel has two tasks: " + before + " " + next));
        }
      }
    }
    return findings;
  }
}
