package io.convoke.chaos.durable.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import java.util.List;

/** Checks a flow history against every rule. */
public final class FlowChecker {
  private static final List<Rule<FlowHistory>> RULES =
      List.of(
          new FlowEndRule(),
          new ExecutionRule(),
          new FlowAnswerRule(),
          new TransactionalEffectRule(),
          new AttemptFencingRule(),
          new TimerRule(),
          new OrderRule(),
          new PromptnessRule(),
          new ScheduleRule(),
          new ItemRestartRule(),
          new EmptyQueueRule());

  private FlowChecker() {}

  /** All violations; empty for a correct history. */
  public static List<RuleViolation> check(FlowHistory history) {
    return Rule.check(RULES, history);
  }
}
