package io.convoke.chaos.bots.rules;

import io.convoke.chaos.history.RuleViolation;
import java.util.List;

/** Checks a history of bots against every rule. */
public final class BotChecker {
  private static final List<BotRule> RULES =
      List.of(
          new BotLimitRule(),
          new BotTransitionRule(),
          new BotEndRule(),
          new BotDeadlineRule(),
          new FalseTimeoutRule(),
          new BotProcessRule(),
          new BotRequestRule(),
          new LateCallbackRule());

  private BotChecker() {}

  /** Everything that is wrong; empty for a right history. */
  public static List<RuleViolation> check(BotHistory history) {
    return RULES.stream().flatMap(rule -> rule.check(history).stream()).toList();
  }
}
