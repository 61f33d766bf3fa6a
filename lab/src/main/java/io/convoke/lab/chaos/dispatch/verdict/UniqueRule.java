package io.convoke.lab.chaos.dispatch.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Of tasks that are to be their channel's only one, one at a time is open. */
final class UniqueRule implements TaskRule {
  @Override
  public List<Finding> check(TaskHistory history) {
    List<Finding> findings = new ArrayList<>();
    Map<String, List<Row>> byChannel =
        history.rows().stream().filter(Row::unique).collect(Collectors.groupingBy(Row::channel));
    for (List<Row> rows : byChannel.values()) {
      List<Row> sorted = rows.stream().sorted(Comparator.comparing(Row::createdAt)).toList();
      for (int i = 1; i < sorted.size(); i++) {
        Row before = sorted.get(i - 1);
        Row next = sorted.get(i);
        if (before.completedAt().map(at -> at.isAfter(next.createdAt())).orElse(true)) {
          findings.add(
              new Finding(
                  Kind.DUPLICATED, "two are their channel's only one: " + before + " " + next));
        }
      }
    }
    return findings;
  }
}
