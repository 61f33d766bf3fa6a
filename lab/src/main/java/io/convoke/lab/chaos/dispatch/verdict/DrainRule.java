package io.convoke.lab.chaos.dispatch.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * A pod that is drained is given nothing. The pod itself remembers it if Redis does not; where it
 * may not have heard before Redis forgot, or counted as dead meanwhile, nobody has to know. What it
 * was given before is its own, though a comparison with the ledger tells it once more.
 */
final class DrainRule implements TaskRule {
  private static final Duration GRAIN = Duration.ofMillis(5);

  /** Within so much it has heard. */
  private static final Duration HEARD = Duration.ofSeconds(1);

  @Override
  public List<Finding> check(TaskHistory history) {
    return history.drained().stream()
        .filter(drained -> known(history, drained))
        .flatMap(drained -> given(history, drained))
        .toList();
  }

  private static boolean known(TaskHistory history, Drained drained) {
    return !history.forgotten(drained.from().minus(HEARD), drained.from().plus(HEARD))
        && history.silences().stream()
            .noneMatch(
                silence ->
                    silence.pod().equals(drained.pod()) && silence.from().isBefore(drained.to()));
  }

  private static Stream<Finding> given(TaskHistory history, Drained drained) {
    return history.moves().stream()
        .filter(move -> move.claim() && move.pod().filter(drained.pod()::equals).isPresent())
        .filter(move -> move.at().isAfter(drained.from().plus(GRAIN)))
        .filter(move -> move.at().isBefore(drained.to()))
        .filter(move -> !givenBefore(history, move))
        .map(
            move ->
                new Finding(Kind.ILLEGAL, move + " went to a pod that takes nothing: " + drained));
  }

  private static boolean givenBefore(TaskHistory history, Move again) {
    return history.moves().stream()
        .anyMatch(
            move ->
                move.claim()
                    && move.seq() < again.seq()
                    && move.id().equals(again.id())
                    && move.attempt() == again.attempt()
                    && move.pod().equals(again.pod()));
  }
}
