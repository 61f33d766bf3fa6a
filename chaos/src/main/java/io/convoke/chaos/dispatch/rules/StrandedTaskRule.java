package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.history.RuleViolation;
import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * What a silent pod held moves on soon: its death is noticeable after so much silence, and
 * {@linkplain TaskHistory.TaskLimits#stranded soon} after that the task waits again or has ended,
 * unless the pod was heard again by then. Silence counts while a server tends; after Redis may have
 * forgotten which pod holds a task, the task is that pod's for a whole lease.
 */
final class StrandedTaskRule implements TaskRule {
  @Override
  public List<RuleViolation> check(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (StrandedTask strandedTask : taken(history)) {
      Instant limit = limit(history, strandedTask.silence().from());
      boolean late =
          strandedTask.moved().map(at -> at.isAfter(limit)).orElse(false)
              && !strandedTask.silence().over(limit);
      if (late) {
        findings.add(
            new RuleViolation(
                ViolationKind.LATE,
                "%s: what it held moved %d ms after its death was noticeable: %s"
                    .formatted(
                        strandedTask.silence(),
                        strandedTask.late(history).toMillis(),
                        strandedTask.claim())));
      }
    }
    return findings;
  }

  /**
   * A task that a pod held when it fell silent.
   *
   * @param moved when it moved on, if it did
   */
  record StrandedTask(SilentPod silence, TaskMove claim, Optional<Instant> moved) {
    /** How long after the death was noticeable. */
    Duration late(TaskHistory history) {
      Instant noticeable = silence.from().plus(history.limits().silent());
      return Duration.between(noticeable, moved.orElse(noticeable));
    }

    /** Whether it moved on for no other reason, and somebody could tend all the while. */
    boolean alone(TaskHistory history) {
      return moved.isPresent()
          && !late(history).isNegative()
          && !silence.over(moved.get())
          && !history.troubled(silence.from(), moved.get());
    }
  }

  static List<StrandedTask> taken(TaskHistory history) {
    Collection<List<TaskMove>> stories = history.story().values();
    List<StrandedTask> all = new ArrayList<>();
    for (SilentPod silentPod : history.silences()) {
      for (List<TaskMove> moves : stories) {
        for (int i = 0; i < moves.size(); i++) {
          TaskMove claim = moves.get(i);
          Optional<Instant> moved = movedOn(history, silentPod, moves, i);
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
   * When it moved on, as far as that can be told: a later attempt that began before the journal's
   * next move proves that the move which made room for it is among those that Redis forgot.
   */
  private static Optional<Instant> movedOn(
      TaskHistory history, SilentPod silentPod, List<TaskMove> moves, int claim) {
    return moves.stream()
        .skip(claim + 1L)
        .filter(taskMove -> !taskMove.type().equals(TaskMove.STOPPING))
        .map(TaskMove::at)
        .findFirst()
        .filter(
            at ->
                !history.forgotten(silentPod.from(), at)
                    || history.attempts(moves.get(claim).id()).stream()
                        .filter(
                            observedAttempt ->
                                observedAttempt.number() > moves.get(claim).attempt())
                        .noneMatch(observedAttempt -> observedAttempt.startedAt().isBefore(at)));
  }

  /** After a time in which no server could tend, it begins to count anew. */
  private static Instant limit(TaskHistory history, Instant silent) {
    Duration soon = history.limits().stranded();
    Instant limit = silent.plus(history.limits().silent()).plus(soon);
    boolean longer = true;
    while (longer) {
      Instant now = limit;
      Instant later =
          history.troubles().stream()
              .filter(recoveryOutage -> recoveryOutage.touches(silent, now))
              .map(
                  recoveryOutage ->
                      recoveryOutage
                          .to()
                          .plus(
                              recoveryOutage.forgets()
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
