package io.convoke.chaos.history;

import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.util.List;

/**
 * Authentic webhooks are answered 200. No response is allowed (the server was dead), and 503 only
 * if both stores were unreachable.
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
