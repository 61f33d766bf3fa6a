package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An attempt has one holder: the pod that the journal names. A claimed attempt that never began is
 * allowed, since its pod may have died before. None begins after the task has ended.
 */
final class SingleHolderRule implements Rule<TaskHistory> {
  /** Time from a claim to its program's first log line, on a busy machine. */
  private static final Duration START_MAX = Duration.ofSeconds(2);

  /** Time from an event in Redis until it is in the journal, with the loss of a power failure. */
  private static final Duration RELAYED = Duration.ofSeconds(4);

  @Override
  public List<RuleViolation> check(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, ObservedAttempt> holders = new HashMap<>();
    for (ObservedAttempt attempt : history.attempts()) {
      ObservedAttempt other = holders.put(name(attempt), attempt);
      if (other != null && !again(history, other, attempt)) {
        findings.add(
            ViolationKind.DUPLICATED.found(
                "one attempt has two holders: " + other + " and " + attempt));
      }
    }
    Map<String, List<ObservedTransition>> transitionsByTask = history.transitionsByTask();
    for (ObservedAttempt attempt : history.attempts()) {
      List<ObservedTransition> claims =
          transitionsByTask.getOrDefault(attempt.id(), List.of()).stream()
              .filter(transition -> transition.claim() && transition.attempt() == attempt.number())
              .toList();
      given(history, attempt, claims)
          .ifPresent(why -> findings.add(ViolationKind.INVENTED.found(attempt + ": " + why)));
      history
          .row(attempt.id())
          .flatMap(TaskRow::completedAt)
          .filter(end -> attempt.startedAt().isAfter(end.plus(START_MAX)))
          .ifPresent(
              end ->
                  findings.add(
                      ViolationKind.ILLEGAL.found(
                          attempt + " began after the task had ended at " + end)));
    }
    return findings;
  }

  /**
   * Where Redis lost its last second, with several attempts of one task in it, an attempt number
   * may be reused; but not before its first holder has ended.
   */
  private static boolean again(
      TaskHistory history, ObservedAttempt before, ObservedAttempt attempt) {
    return history.forgotten(before.startedAt().minus(START_MAX), attempt.startedAt())
        && before.ended().map(end -> end.isBefore(attempt.startedAt())).orElse(false);
  }

  private static Optional<String> given(
      TaskHistory history, ObservedAttempt attempt, List<ObservedTransition> claims) {
    if (claims.stream()
        .anyMatch(transition -> transition.pod().equals(Optional.of(attempt.pod())))) {
      return Optional.empty();
    }
    // Events that Redis lost before they were relayed are in no journal.
    return history.forgotten(attempt.startedAt().minusSeconds(1), attempt.startedAt().plus(RELAYED))
        ? Optional.empty()
        : Optional.of("the journal has another holder: " + claims);
  }

  private static String name(ObservedAttempt attempt) {
    return attempt.id() + " " + attempt.number();
  }
}
