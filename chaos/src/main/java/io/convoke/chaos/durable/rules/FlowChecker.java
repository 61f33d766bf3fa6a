package io.convoke.chaos.durable.rules;

import io.convoke.chaos.history.RuleViolation;
import java.util.List;

/** Checks a flow history against every rule. */
public final class FlowChecker {
  private static final List<FlowRule> RULES =
      List.of(
          new FlowEndRule(),
          new ExecutionRule(),
          new FlowAnswerRule(),
          new TransactionalEffectRule(),
          new AttemptFencingRule(),
          new TimerRule(),
          new ItemRestartRule(),
          new EmptyQueueRule());

  private FlowChecker() {}

  /** All violations; empty for a correct history. */
  public static List<RuleViolation> check(FlowHistory history) {
    return RULES.stream().flatMap(rule -> rule.check(history).stream()).toList();
  }
}
