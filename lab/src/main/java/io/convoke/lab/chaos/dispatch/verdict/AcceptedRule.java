package io.convoke.lab.chaos.dispatch.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What was accepted is there and has ended, once for its request. What was not accepted is there
 * once or not at all, and has ended too. Redis holds nothing of them any more.
 */
final class AcceptedRule implements TaskRule {
  @Override
  public List<Finding> check(TaskHistory history) {
    List<Finding> findings = new ArrayList<>();
    for (Answer answer : history.answers()) {
      if (answer.accepted() && history.row(answer.id()).isEmpty()) {
        findings.add(new Finding(Kind.LOST, answer + ": the ledger has no such task"));
      }
    }
    Map<String, List<Row>> byRequest =
        history.rows().stream().collect(Collectors.groupingBy(Row::request));
    byRequest.forEach(
        (request, rows) -> {
          if (rows.size() > 1) {
            findings.add(
                new Finding(Kind.DUPLICATED, "request " + request + " has several tasks: " + rows));
          }
        });
    history.answers().stream()
        .filter(Answer::accepted)
        .collect(Collectors.groupingBy(Answer::request))
        .forEach((request, answers) -> oneTask(request, answers, findings));
    Set<String> requests = history.asked().stream().map(Asked::request).collect(Collectors.toSet());
    for (Row row : history.rows()) {
      if (!requests.contains(row.request())) {
        findings.add(new Finding(Kind.INVENTED, row + ": nobody asked for it"));
      }
      if (!row.terminal()) {
        findings.add(new Finding(Kind.OPEN, row + " has not ended"));
      }
    }
    history.left().forEach(left -> findings.add(new Finding(Kind.OPEN, left)));
    return findings;
  }

  private static void oneTask(String request, List<Answer> answers, List<Finding> findings) {
    if (answers.stream().map(Answer::id).distinct().count() > 1) {
      findings.add(
          new Finding(Kind.DUPLICATED, "request " + request + " was told two tasks: " + answers));
    }
    if (answers.stream().filter(answer -> answer.status() == 202).count() > 1) {
      findings.add(
          new Finding(Kind.DUPLICATED, "request " + request + " was new twice: " + answers));
    }
  }
}
