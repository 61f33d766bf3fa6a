package io.convoke.chaos.bots.rules;

import io.convoke.chaos.history.RuleViolation;
import java.util.List;

/** Checks a bot history against every rule. */
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

  /** All violations; empty for a correct history. */
  public static List<RuleViolation> check(BotHistory history) {
    return RULES.stream().flatMap(rule -> rule.check(history).stream()).toList();
  }
}
