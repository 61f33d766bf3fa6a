package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A program does not run on after its attempt is over: not after its task has ended or has gone to
 * another pod, beyond the grace of its signals, nor for its whole time after an acknowledged stop.
 * Pods that were unreachable are excused, since they could not know.
 */
final class ProgramEndRule implements Rule<TaskHistory> {
  /** Time for a pod to hear of the end, on a busy machine. */
  private static final Duration HEARD = Duration.ofSeconds(4);

  @Override
  public List<RuleViolation> check(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (ObservedAttempt attempt : history.attempts()) {
      Optional<Instant> over = over(history, attempt);
      Optional<Instant> latest =
          over.map(at -> at.plus(history.evidence().grace()).plus(HEARD))
              .filter(at -> attempt.ended().map(end -> end.isAfter(at)).orElse(false));
      if (latest.isPresent() && !excused(history, attempt, over.get())) {
        findings.add(
            ViolationKind.OPEN.found(
                "%s runs on although its task was over at %s", attempt, over.get()));
      }
    }
    return findings;
  }

  /**
   * When the attempt was over, or was to be stopped, or another one had begun, whichever came
   * first; and its pod could know.
   */
  private static Optional<Instant> over(TaskHistory history, ObservedAttempt attempt) {
    Stream<Instant> ended = history.row(attempt.id()).flatMap(TaskRow::completedAt).stream();
    Stream<Instant> stopped =
        history.stops().stream()
            .filter(stop -> stop.id().equals(attempt.id()) && stop.acknowledged())
            .map(StopCall::answered);
    Stream<Instant> replaced =
        history.attempts(attempt.id()).stream()
            .filter(other -> other.number() > attempt.number())
            .map(ObservedAttempt::startedAt);
    return Stream.of(ended, stopped, replaced)
        .flatMap(times -> times)
        .min(Instant::compareTo)
        .map(at -> at.isBefore(attempt.startedAt()) ? attempt.startedAt() : at)
        .map(
            at ->
                history.silences().stream()
                    .filter(silent -> silent.pod().equals(attempt.pod()))
                    .filter(silent -> silent.from().isBefore(at.plus(HEARD)))
                    .flatMap(silent -> silent.reachableAgain().stream())
                    .filter(again -> again.isAfter(at))
                    .max(Instant::compareTo)
                    .orElse(at));
  }

  private static boolean excused(TaskHistory history, ObservedAttempt attempt, Instant over) {
    Instant end = attempt.ended().orElseThrow();
    return history.troubled(over.minusSeconds(1), end)
        || history.silences().stream()
            .anyMatch(
                silent ->
                    silent.pod().equals(attempt.pod())
                        && silent.from().isBefore(end)
                        && !silent.over(over));
  }
}
