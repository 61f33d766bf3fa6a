package io.convoke.chaos.durable.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.List;

/** At the end no row is queued or locked. */
final class EmptyQueueRule implements Rule<FlowHistory> {
  @Override
  public List<RuleViolation> check(FlowHistory history) {
    return history.left().stream().map(row -> ViolationKind.OPEN.found(row)).toList();
  }
}
