package io.convoke.chaos.durable.rules;

import io.convoke.chaos.history.RuleViolation;
import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.util.List;

/**
 * What a killed node held is begun by another because the death was noticed: sooner than any lock
 * would have ended.
 */
final class ItemRestartRule implements FlowRule {
  @Override
  public List<RuleViolation> check(FlowHistory history) {
    return history.restarts().stream()
        .filter(ItemRestart::alone)
        .filter(
            itemRestart ->
                itemRestart
                    .elapsed()
                    .filter(took -> took.compareTo(history.restartMax()) > 0)
                    .isPresent())
        .map(
            itemRestart ->
                new RuleViolation(
                    ViolationKind.LATE,
                    "%s, held by %s when it was killed at %s, was begun again %d ms later"
                        .formatted(
                            itemRestart.key(),
                            itemRestart.node(),
                            itemRestart.killed(),
                            itemRestart.elapsed().orElseThrow().toMillis())))
        .toList();
  }
}
