package io.convoke.chaos.durable.rules;

import io.convoke.chaos.history.RuleViolation;
import java.util.List;

/** An invariant of flow histories. */
interface FlowRule {
  List<RuleViolation> check(FlowHistory history);
}
