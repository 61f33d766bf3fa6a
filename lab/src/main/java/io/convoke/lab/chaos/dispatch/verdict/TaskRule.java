package io.convoke.lab.chaos.dispatch.verdict;

import io.convoke.lab.chaos.history.Finding;
import java.util.List;

/** One thing that must hold for every history. */
interface TaskRule {
  List<Finding> check(TaskHistory history);
}
