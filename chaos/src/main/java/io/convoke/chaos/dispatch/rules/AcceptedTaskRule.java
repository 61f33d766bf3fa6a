package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Each accepted request has exactly one task, and it has ended. Other requests have one task or
 * none, which has ended too. Redis holds no data of them.
 */
final class AcceptedTaskRule implements Rule<TaskHistory> {
  @Override
  public List<RuleViolation> check(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (TaskReply reply : history.answers()) {
      if (reply.accepted() && history.row(reply.id()).isEmpty()) {
        findings.add(ViolationKind.LOST.found(reply + ": the database has no such task"));
      }
    }
    Map<String, List<TaskRow>> byRequest =
        history.rows().stream().collect(Collectors.groupingBy(TaskRow::request));
    byRequest.forEach(
        (request, rows) -> {
          if (rows.size() > 1) {
            findings.add(
                ViolationKind.DUPLICATED.found(
                    "request " + request + " has several tasks: " + rows));
          }
        });
    history.answers().stream()
        .filter(TaskReply::accepted)
        .collect(Collectors.groupingBy(TaskReply::request))
        .forEach((request, answers) -> oneTask(request, answers, findings));
    Set<String> requests =
        history.requestedTasks().stream().map(RequestedTask::request).collect(Collectors.toSet());
    for (TaskRow row : history.rows()) {
      if (!requests.contains(row.request())) {
        findings.add(ViolationKind.INVENTED.found(row + ": no request for it"));
      }
      if (!row.terminal()) {
        findings.add(ViolationKind.OPEN.found(row + " has not ended"));
      }
    }
    history.left().forEach(left -> findings.add(ViolationKind.OPEN.found(left)));
    return findings;
  }

  private static void oneTask(
      String request, List<TaskReply> answers, List<RuleViolation> findings) {
    if (answers.stream().map(TaskReply::id).distinct().count() > 1) {
      findings.add(
          ViolationKind.DUPLICATED.found(
              "request " + request + " was answered two tasks: " + answers));
    }
    if (answers.stream().filter(reply -> reply.status() == 202).count() > 1) {
      findings.add(
          ViolationKind.DUPLICATED.found(
              "request " + request + " was reported as new twice: " + answers));
    }
  }
}
