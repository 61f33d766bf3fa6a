package io.convoke.chaos.durable.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import java.util.List;

/** Checks a flow history against every rule. */
public final class FlowChecker {
  private static final List<Rule<FlowHistory>> RULES =
      List.of(
          Rule.named("FlowEndRule", FlowResultRules::flowEnd),
          Rule.named("ExecutionRule", FlowResultRules::execution),
          Rule.named("FlowAnswerRule", FlowResultRules::flowAnswer),
          Rule.named("TransactionalEffectRule", FlowResultRules::transactionalEffect),
          Rule.named("AttemptFencingRule", FlowTimeRules::attemptFencing),
          Rule.named("LimitRule", FlowTimeRules::limit),
          Rule.named("RetryPauseRule", FlowTimeRules::retryPause),
          Rule.named("RefusalRule", FlowTimeRules::refusal),
          Rule.named("JobRule", FlowTimeRules::job),
          Rule.named("StepRule", FlowResultRules::step),
          Rule.named("AwaitRule", FlowEndRules::awaited),
          Rule.named("LeftActivityRule", FlowEndRules::leftActivity),
          Rule.named("TimerRule", FlowTimeRules::timer),
          Rule.named("OrderRule", FlowResultRules::order),
          Rule.named("PromptnessRule", FlowTimeRules::promptness),
          Rule.named("ScheduleRule", FlowResultRules::schedule),
          Rule.named("MissedTickRule", FlowResultRules::missedTick),
          Rule.named("RunOverlapRule", FlowResultRules::runOverlap),
          Rule.named("LastRunRule", FlowResultRules::lastRun),
          Rule.named("ItemRestartRule", FlowTimeRules::itemRestart),
          Rule.named("EmptyQueueRule", FlowResultRules::emptyQueue));

  private FlowChecker() {}

  /** All violations; empty for a correct history. */
  public static List<RuleViolation> check(FlowHistory history) {
    return Rule.check(RULES, history);
  }
}
