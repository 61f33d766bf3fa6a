package io.convoke.lab.chaos.durable.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.List;

/**
 * What a killed node held is begun by another because the death was noticed: sooner than any lock
 * would have ended.
 */
final class RestartRule implements FlowRule {
  @Override
  public List<Finding> check(FlowHistory history) {
    return history.restarts().stream()
        .filter(Restart::alone)
        .filter(
            restart ->
                restart.took().filter(took -> took.compareTo(history.restartMax()) > 0).isPresent())
        .map(
            restart ->
                new Finding(
                    Kind.LATE,
                    "%s, held by %s when it was killed at %s, was begun again %d ms later"
                        .formatted(
                            restart.key(),
                            restart.node(),
                            restart.killed(),
                            restart.took().orElseThrow().toMillis())))
        .toList();
  }
}
