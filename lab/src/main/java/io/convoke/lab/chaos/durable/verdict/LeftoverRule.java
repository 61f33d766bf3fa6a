package io.convoke.lab.chaos.durable.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.List;

/** When all is over nothing is queued and nothing is locked. */
final class LeftoverRule implements FlowRule {
  @Override
  public List<Finding> check(FlowHistory history) {
    return history.left().stream().map(row -> new Finding(Kind.OPEN, row)).toList();
  }
}
