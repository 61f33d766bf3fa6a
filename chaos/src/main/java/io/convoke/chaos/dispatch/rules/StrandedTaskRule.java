package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Tasks of an unreachable pod move on: its death is detectable after a silence, and {@linkplain
 * TaskHistory.TaskLimits#stranded soon} after that the task is queued again or has ended, unless
 * the pod was reachable again by then. Silence counts only while a server runs maintenance; where
 * Redis may have lost the task's holder, the pod keeps the task for a full lease.
 */
final class StrandedTaskRule implements Rule<TaskHistory> {
  @Override
  public List<RuleViolation> check(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (StrandedTask stranded : taken(history)) {
      Instant limit = limit(history, stranded.silence().from());
      boolean late =
          stranded.moved().map(at -> at.isAfter(limit)).orElse(false)
              && !stranded.silence().over(limit);
      if (late) {
        findings.add(
            ViolationKind.LATE.found(
                "%s: its task was reassigned %d ms after its death was detectable: %s",
                stranded.silence(), stranded.late(history).toMillis(), stranded.claim()));
      }
    }
    return findings;
  }

  /**
   * A task that a pod held when it became unreachable.
   *
   * @param moved when it moved on, if it did
   */
  record StrandedTask(SilentPod silence, ObservedTransition claim, Optional<Instant> moved) {
    /** Delay since the death was detectable. */
    Duration late(TaskHistory history) {
      Instant noticeable = silence.from().plus(history.limits().silent());
      return Duration.between(noticeable, moved.orElse(noticeable));
    }

    /** Whether it moved on because of the pod's death, without an outage meanwhile. */
    boolean alone(TaskHistory history) {
      return moved.isPresent()
          && !late(history).isNegative()
          && !silence.over(moved.get())
          && !history.troubled(silence.from(), moved.get());
    }
  }

  static List<StrandedTask> taken(TaskHistory history) {
    Collection<List<ObservedTransition>> tasks = history.transitionsByTask().values();
    List<StrandedTask> all = new ArrayList<>();
    for (SilentPod silentPod : history.silences()) {
      for (List<ObservedTransition> transitions : tasks) {
        for (int i = 0; i < transitions.size(); i++) {
          ObservedTransition claim = transitions.get(i);
          Optional<Instant> moved = movedOn(history, silentPod, transitions, i);
          if (claim.claim()
              && claim.pod().equals(Optional.of(silentPod.pod()))
              && claim.at().isBefore(silentPod.from())
              && moved.map(at -> at.isAfter(silentPod.from())).orElse(true)) {
            all.add(new StrandedTask(silentPod, claim, moved));
          }
        }
      }
    }
    return all;
  }

  /**
   * When it moved on, as far as is known: a later attempt that began before the journal's next
   * event proves that Redis lost the event that made room for it.
   */
  private static Optional<Instant> movedOn(
      TaskHistory history, SilentPod silentPod, List<ObservedTransition> transitions, int claim) {
    return transitions.stream()
        .skip(claim + 1L)
        .filter(transition -> !transition.type().equals(ObservedTransition.STOPPING))
        .map(ObservedTransition::at)
        .findFirst()
        .filter(
            at ->
                !history.forgotten(silentPod.from(), at)
                    || history.attempts(transitions.get(claim).id()).stream()
                        .filter(attempt -> attempt.number() > transitions.get(claim).attempt())
                        .noneMatch(attempt -> attempt.startedAt().isBefore(at)));
  }

  /** After an outage of maintenance the time limit starts again. */
  private static Instant limit(TaskHistory history, Instant silent) {
    Duration soon = history.limits().stranded();
    Instant limit = silent.plus(history.limits().silent()).plus(soon);
    boolean longer = true;
    while (longer) {
      Instant now = limit;
      Instant later =
          history.troubles().stream()
              .filter(outage -> outage.touches(silent, now))
              .map(
                  outage ->
                      outage
                          .to()
                          .plus(
                              outage.forgets()
                                  ? history.limits().lease()
                                  : history.limits().silent())
                          .plus(soon))
              .max(Instant::compareTo)
              .orElse(now);
      longer = later.isAfter(now);
      limit = longer ? later : now;
    }
    return limit;
  }
}
