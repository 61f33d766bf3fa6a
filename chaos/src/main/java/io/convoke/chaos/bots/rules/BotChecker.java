package io.convoke.chaos.bots.rules;

import io.convoke.chaos.kernel.AvailabilityRule;
import io.convoke.chaos.kernel.LifecycleRule;
import io.convoke.chaos.kernel.ReadBackRule;
import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.StreamRule;
import io.convoke.chaos.kernel.TenantRule;
import java.util.List;

/** Checks a bot history against every rule. */
public final class BotChecker {
  private static final List<Rule<BotHistory>> RULES =
      List.of(
          Rule.named("BotLimitRule", BotLifeRules::botLimit),
          Rule.shared(new LifecycleRule(), BotHistory::lives),
          Rule.named("BotReplayRule", BotReplyRules::botReplay),
          Rule.named("BotTranscriptRule", BotReplyRules::botTranscript),
          Rule.shared(new StreamRule(), BotHistory::streams),
          Rule.shared(new TenantRule(), history -> history.streams().reads()),
          Rule.shared(new AvailabilityRule(), BotHistory::users),
          Rule.shared(new AvailabilityRule(), BotHistory::callbacks),
          Rule.named("BotEndRule", BotLifeRules::botEnd),
          Rule.named("BotDeadlineRule", BotLifeRules::botDeadline),
          Rule.named("FalseTimeoutRule", BotLifeRules::falseTimeout),
          Rule.named("BotProcessRule", BotLifeRules::botProcess),
          Rule.named("BotCommandRule", BotReplyRules::botCommand),
          Rule.named("GivenCommandRule", BotAnswerRules::givenCommand),
          Rule.named("BotAnswerRule", BotAnswerRules::botAnswer),
          Rule.named("ActiveBotsRule", BotAnswerRules::activeBots),
          Rule.named("ScheduledStartRule", BotAnswerRules::scheduledStart),
          Rule.shared(new ReadBackRule(), history -> history.evidence().shown().looks()),
          Rule.named("BotRequestRule", BotReplyRules::botRequest),
          Rule.named("LateCallbackRule", BotReplyRules::lateCallback));

  private BotChecker() {}

  /** All violations; empty for a correct history. */
  public static List<RuleViolation> check(BotHistory history) {
    return Rule.check(RULES, history);
  }
}
