package io.convoke.lab.chaos.dispatch.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Who asks is told 202, 200, 409 where the channel may be taken, or 503; nobody need answer. With a
 * ledger Redis is no reason for 503, but a server that just starts or stops is.
 */
final class AnswerRule implements TaskRule {
  @Override
  public List<Finding> check(TaskHistory history) {
    List<Finding> findings = new ArrayList<>();
    Map<String, Asked> asked =
        history.asked().stream().collect(Collectors.toMap(Asked::request, Function.identity()));
    for (Answer answer : history.answers()) {
      Asked one = asked.get(answer.request());
      boolean right =
          switch (answer.status()) {
            case 0, 200, 202, 503 -> true;
            case 409 -> one != null && one.unique();
            default -> false;
          };
      if (!right) {
        findings.add(new Finding(Kind.REFUSED, answer.toString()));
      }
    }
    for (Stop stop : history.stops()) {
      boolean right =
          switch (stop.status()) {
            case 0, 202, 503 -> true;
            default -> false;
          };
      if (!right) {
        findings.add(new Finding(Kind.REFUSED, stop.toString()));
      }
    }
    return findings;
  }
}
