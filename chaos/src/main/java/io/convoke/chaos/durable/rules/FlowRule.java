package io.convoke.chaos.durable.rules;

import io.convoke.chaos.history.RuleViolation;
import java.util.List;

/** One thing that must hold for the flows of every run. */
interface FlowRule {
  List<RuleViolation> check(FlowHistory history);
}
