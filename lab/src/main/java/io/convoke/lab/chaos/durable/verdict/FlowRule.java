package io.convoke.lab.chaos.durable.verdict;

import io.convoke.lab.chaos.history.Finding;
import java.util.List;

/** One thing that must hold for the flows of every run. */
interface FlowRule {
  List<Finding> check(FlowHistory history);
}
