package io.convoke.chaos.durable.rules;

import io.convoke.chaos.history.RuleViolation;
import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.util.List;

/** When all is over nothing is queued and nothing is locked. */
final class EmptyQueueRule implements FlowRule {
  @Override
  public List<RuleViolation> check(FlowHistory history) {
    return history.left().stream().map(row -> new RuleViolation(ViolationKind.OPEN, row)).toList();
  }
}
