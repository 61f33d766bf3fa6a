package io.convoke.chaos.bots.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.List;

/** {@code convoke replay} finds no difference between journal and tables. */
final class BotReplayRule implements Rule<BotHistory> {
  @Override
  public List<RuleViolation> check(BotHistory history) {
    return history.replay().stream()
        .map(difference -> ViolationKind.ILLEGAL.found("replay: " + difference))
        .toList();
  }
}
