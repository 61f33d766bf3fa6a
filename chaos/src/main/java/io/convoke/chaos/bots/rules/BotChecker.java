package io.convoke.chaos.bots.rules;

import io.convoke.chaos.kernel.AvailabilityRule;
import io.convoke.chaos.kernel.LifecycleRule;
import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.StreamRule;
import java.util.List;

/** Checks a bot history against every rule. */
public final class BotChecker {
  private static final List<Rule<BotHistory>> RULES =
      List.of(
          new BotLimitRule(),
          Rule.shared(new LifecycleRule(), BotHistory::lives),
          new BotReplayRule(),
          new BotTranscriptRule(),
          Rule.shared(new StreamRule(), BotHistory::streams),
          Rule.shared(new AvailabilityRule(), BotHistory::users),
          Rule.shared(new AvailabilityRule(), BotHistory::callbacks),
          new BotEndRule(),
          new BotDeadlineRule(),
          new FalseTimeoutRule(),
          new BotProcessRule(),
          new BotRequestRule(),
          new LateCallbackRule());

  private BotChecker() {}

  /** All violations; empty for a correct history. */
  public static List<RuleViolation> check(BotHistory history) {
    return Rule.check(RULES, history);
  }
}
