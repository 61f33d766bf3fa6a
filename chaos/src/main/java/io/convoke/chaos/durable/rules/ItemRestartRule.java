package io.convoke.chaos.durable.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.util.List;

/**
 * Other nodes take over a killed node's items by detecting its death, sooner than any lock would
 * have expired.
 */
final class ItemRestartRule implements Rule<FlowHistory> {
  @Override
  public List<RuleViolation> check(FlowHistory history) {
    return history.restarts().stream()
        .filter(ItemRestart::alone)
        .filter(
            restart ->
                restart
                    .elapsed()
                    .filter(took -> took.compareTo(history.restartMax()) > 0)
                    .isPresent())
        .map(
            restart ->
                ViolationKind.LATE.found(
                    "%s, held by %s when it was killed at %s, restarted %d ms later",
                    restart.key(),
                    restart.node(),
                    restart.killed(),
                    restart.elapsed().orElseThrow().toMillis()))
        .toList();
  }
}
