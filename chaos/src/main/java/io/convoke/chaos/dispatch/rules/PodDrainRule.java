package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A drained pod claims no task. The pod remembers the drain even if Redis loses it; no rule applies
 * where the pod may not have received it before Redis lost data, nor from when the pod counted as
 * dead, since Redis then forgets it. Tasks claimed before stay with the pod, though a rebuild may
 * record them again.
 */
final class PodDrainRule implements Rule<TaskHistory> {
  private static final Duration GRAIN = Duration.ofMillis(5);

  /** Time for the pod to receive the drain. */
  private static final Duration HEARD = Duration.ofSeconds(1);

  @Override
  public List<RuleViolation> check(TaskHistory history) {
    return history.drained().stream()
        .filter(drained -> !history.forgotten(drained.from(), drained.from().plus(HEARD)))
        .flatMap(drained -> given(history, drained))
        .toList();
  }

  private static Stream<RuleViolation> given(TaskHistory history, DrainedPod drained) {
    return history.transitions().stream()
        .filter(claim -> claim.claim() && claim.pod().equals(Optional.of(drained.pod())))
        .filter(claim -> claim.at().isAfter(drained.from().plus(GRAIN)))
        .filter(claim -> claim.at().isBefore(drained.to()))
        .filter(claim -> !dead(history, drained, claim.at()) && !givenBefore(history, claim))
        .map(claim -> ViolationKind.ILLEGAL.found(claim + " went to a draining pod: " + drained));
  }

  /** Whether the pod may have counted as dead at a time of its drain, before that or since. */
  private static boolean dead(TaskHistory history, DrainedPod drained, Instant at) {
    return history.silences().stream()
        .filter(silent -> silent.pod().equals(drained.pod()))
        .anyMatch(
            silent ->
                silent.from().plus(history.limits().silent()).isBefore(at)
                    && !silent.over(drained.from().minus(HEARD)));
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
