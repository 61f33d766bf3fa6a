package io.convoke.chaos.rooms;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.List;

/**
 * All bots have ended when all is stopped, one that was killed as failed, and no process of the run
 * is left.
 */
final class ProcessEndRule implements Rule<RoomHistory> {
  @Override
  public List<RuleViolation> check(RoomHistory history) {
    List<RuleViolation> found = new ArrayList<>();
    history.processesLeft().stream()
        .map(it -> new RuleViolation(ViolationKind.OPEN, "a process is left: " + it))
        .forEach(found::add);
    history.bots().entrySet().stream()
        .filter(it -> !List.of("completed", "failed").contains(it.getValue()))
        .map(it -> new RuleViolation(ViolationKind.OPEN, "the bot of meeting " + it))
        .forEach(found::add);
    long failed = history.bots().values().stream().filter("failed"::equals).count();
    if (failed < history.killedBots().size()) {
      found.add(
          new RuleViolation(
              ViolationKind.ILLEGAL,
              "%d bots were killed, but the meetings of bots ended as %s"
                  .formatted(history.killedBots().size(), history.bots())));
    }
    return found;
  }
}
