package io.convoke.chaos.rooms;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.List;

/** When all is stopped, no process of the run is left. */
final class LeftProcessRule implements Rule<RoomHistory> {
  @Override
  public List<RuleViolation> check(RoomHistory history) {
    return history.processesLeft().stream()
        .map(it -> new RuleViolation(ViolationKind.OPEN, "a process is left: " + it))
        .toList();
  }
}
