package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.history.RuleViolation;
import java.util.List;

/** One thing that must hold for every history. */
interface TaskRule {
  List<RuleViolation> check(TaskHistory history);
}
