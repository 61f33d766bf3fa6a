package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.history.RuleViolation;
import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * A pod that is drained is given nothing. The pod itself remembers it if Redis does not; where it
 * may not have heard before Redis forgot, or counted as dead meanwhile, nobody has to know. What it
 * was given before is its own, though a comparison with the ledger tells it once more.
 */
final class PodDrainRule implements TaskRule {
  private static final Duration GRAIN = Duration.ofMillis(5);

  /** Within so much it has heard. */
  private static final Duration HEARD = Duration.ofSeconds(1);

  @Override
  public List<RuleViolation> check(TaskHistory history) {
    return history.drained().stream()
        .filter(drainedPod -> known(history, drainedPod))
        .flatMap(drainedPod -> given(history, drainedPod))
        .toList();
  }

  private static boolean known(TaskHistory history, DrainedPod drainedPod) {
    return !history.forgotten(drainedPod.from().minus(HEARD), drainedPod.from().plus(HEARD))
        && history.silences().stream()
            .noneMatch(
                silentPod ->
                    silentPod.pod().equals(drainedPod.pod())
                        && silentPod.from().isBefore(drainedPod.to()));
  }

  private static Stream<RuleViolation> given(TaskHistory history, DrainedPod drainedPod) {
    return history.moves().stream()
        .filter(
            taskMove ->
                taskMove.claim() && taskMove.pod().filter(drainedPod.pod()::equals).isPresent())
        .filter(taskMove -> taskMove.at().isAfter(drainedPod.from().plus(GRAIN)))
        .filter(taskMove -> taskMove.at().isBefore(drainedPod.to()))
        .filter(taskMove -> !givenBefore(history, taskMove))
        .map(
            taskMove ->
                new RuleViolation(
                    ViolationKind.ILLEGAL,
                    taskMove + " went to a pod that takes nothing: " + drainedPod));
  }

  private static boolean givenBefore(TaskHistory history, TaskMove again) {
    return history.moves().stream()
        .anyMatch(
            taskMove ->
                taskMove.claim()
                    && taskMove.seq() < again.seq()
                    && taskMove.id().equals(again.id())
                    && taskMove.attempt() == again.attempt()
                    && taskMove.pod().equals(again.pod()));
  }
}
