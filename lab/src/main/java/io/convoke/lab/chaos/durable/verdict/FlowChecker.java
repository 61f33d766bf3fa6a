package io.convoke.lab.chaos.durable.verdict;

import io.convoke.lab.chaos.history.Finding;
import java.util.List;

/** Checks a history of flows against every rule. */
public final class FlowChecker {
  private static final List<FlowRule> RULES =
      List.of(
          new EndRule(),
          new ExecutionRule(),
          new AnswerRule(),
          new BookingRule(),
          new FencingRule(),
          new TimerRule(),
          new RestartRule(),
          new LeftoverRule());

  private FlowChecker() {}

  /** Everything that is wrong; empty for a right history. */
  public static List<Finding> check(FlowHistory history) {
    return RULES.stream().flatMap(rule -> rule.check(history).stream()).toList();
  }
}
