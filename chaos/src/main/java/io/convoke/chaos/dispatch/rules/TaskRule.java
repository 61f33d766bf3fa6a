package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.history.RuleViolation;
import java.util.List;

/** An invariant of task histories. */
interface TaskRule {
  List<RuleViolation> check(TaskHistory history);
}
