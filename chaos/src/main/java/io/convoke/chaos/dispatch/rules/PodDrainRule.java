package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * A drained pod claims no task. The pod remembers the drain even if Redis loses it; no rule applies
 * where the pod may not have received it before Redis lost data, or counted as dead meanwhile.
 * Tasks claimed before stay with the pod, though a rebuild may record them again.
 */
final class PodDrainRule implements Rule<TaskHistory> {
  private static final Duration GRAIN = Duration.ofMillis(5);

  /** Time for the pod to receive the drain. */
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
    return history.transitions().stream()
        .filter(
            transition ->
                transition.claim() && transition.pod().filter(drainedPod.pod()::equals).isPresent())
        .filter(transition -> transition.at().isAfter(drainedPod.from().plus(GRAIN)))
        .filter(transition -> transition.at().isBefore(drainedPod.to()))
        .filter(transition -> !givenBefore(history, transition))
        .map(
            transition ->
                new RuleViolation(
                    ViolationKind.ILLEGAL, transition + " went to a draining pod: " + drainedPod));
  }

  private static boolean givenBefore(TaskHistory history, ObservedTransition again) {
    return history.transitions().stream()
        .anyMatch(
            transition ->
                transition.claim()
                    && transition.seq() < again.seq()
                    && transition.id().equals(again.id())
                    && transition.attempt() == again.attempt()
                    && transition.pod().equals(again.pod()));
  }
}
