package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Task requests are answered 202, 200, 409 if the channel may be taken, 503, or not at all. With a
 * task table a Redis outage is no reason for 503, but the start or shutdown of a server is.
 */
final class TaskReplyRule implements Rule<TaskHistory> {
  @Override
  public List<RuleViolation> check(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, RequestedTask> asked =
        history.requestedTasks().stream()
            .collect(Collectors.toMap(RequestedTask::request, Function.identity()));
    for (TaskReply reply : history.answers()) {
      RequestedTask one = asked.get(reply.request());
      boolean right =
          switch (reply.status()) {
            case 0, 200, 202, 503 -> true;
            case 409 -> one != null && one.unique();
            default -> false;
          };
      if (!right) {
        findings.add(ViolationKind.REFUSED.found(reply.toString()));
      }
    }
    for (StopCall stop : history.stops()) {
      boolean right =
          switch (stop.status()) {
            case 0, 202, 503 -> true;
            default -> false;
          };
      if (!right) {
        findings.add(ViolationKind.REFUSED.found(stop.toString()));
      }
    }
    return findings;
  }
}
