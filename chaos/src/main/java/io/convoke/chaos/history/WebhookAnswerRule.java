package io.convoke.chaos.history;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.List;

/**
 * Authentic webhooks are answered 200, or 503, or not at all. How often they may be refused is a
 * question of {@link io.convoke.chaos.kernel.AvailabilityRule}.
 */
final class WebhookAnswerRule implements Rule<PresenceHistory> {

  @Override
  public List<RuleViolation> check(PresenceHistory history) {
    return history.calls().stream()
        .filter(call -> call.status() != 0 && call.status() != 200 && call.status() != 503)
        .map(call -> ViolationKind.REFUSED.found("a webhook: " + call))
        .toList();
  }
}
