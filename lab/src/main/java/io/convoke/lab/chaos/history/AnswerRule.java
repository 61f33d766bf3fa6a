package io.convoke.lab.chaos.history;

import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.List;

/**
 * Whatever is authentic is answered 200. No answer is no fault of this rule (the server was dead),
 * 503 only says that both stores were away.
 */
final class AnswerRule implements Rule {

  @Override
  public List<Finding> check(History history) {
    return history.calls().stream()
        .filter(call -> call.status().filter(status -> status != 200 && status != 503).isPresent())
        .map(
            call ->
                new Finding(
                    Kind.REFUSED,
                    call.what() + " at " + call.at() + " was answered " + call.status().orElse(0)))
        .toList();
  }
}
