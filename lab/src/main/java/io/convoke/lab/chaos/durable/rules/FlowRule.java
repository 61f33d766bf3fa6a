package io.convoke.lab.chaos.durable.rules;

import io.convoke.lab.chaos.history.RuleViolation;
import java.util.List;

/** One thing that must hold for the flows of every run. */
interface FlowRule {
  List<RuleViolation> check(FlowHistory history);
}
