package io.convoke.chaos.history;

import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.util.List;

/**
 * Whatever is authentic is answered 200. No answer is no fault of this rule (the server was dead),
 * 503 only says that both stores were away.
 */
final class WebhookAnswerRule implements PresenceRule {

  @Override
  public List<RuleViolation> check(PresenceHistory presenceHistory) {
    return presenceHistory.calls().stream()
        .filter(
            observedCall ->
                observedCall.status().filter(status -> status != 200 && status != 503).isPresent())
        .map(
            observedCall ->
                new RuleViolation(
                    ViolationKind.REFUSED,
                    observedCall.what()
                        + " at "
                        + observedCall.at()
                        + " was answered "
                        + observedCall.status().orElse(0)))
        .toList();
  }
}
