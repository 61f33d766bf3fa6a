package io.convoke.lab.chaos.dispatch.rules;

import io.convoke.lab.chaos.history.RuleViolation;
import java.util.List;

/** One thing that must hold for every history. */
interface TaskRule {
  List<RuleViolation> check(TaskHistory history);
}
