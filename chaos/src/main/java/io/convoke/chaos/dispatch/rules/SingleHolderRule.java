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
    for (ObservedAttempt observedAttempt : history.attempts()) {
      ObservedAttempt other = holders.put(name(observedAttempt), observedAttempt);
      if (other != null && !again(history, other, observedAttempt)) {
        findings.add(
            ViolationKind.DUPLICATED.found(
                "one attempt has two holders: " + other + " and " + observedAttempt));
      }
    }
    Map<String, List<ObservedTransition>> transitionsByTask = history.transitionsByTask();
    for (ObservedAttempt observedAttempt : history.attempts()) {
      List<ObservedTransition> claims =
          transitionsByTask.getOrDefault(observedAttempt.id(), List.of()).stream()
              .filter(
                  transition ->
                      transition.claim() && transition.attempt() == observedAttempt.number())
              .toList();
      given(history, observedAttempt, claims)
          .ifPresent(
              why -> findings.add(ViolationKind.INVENTED.found(observedAttempt + ": " + why)));
      history
          .row(observedAttempt.id())
          .flatMap(TaskRow::completedAt)
          .filter(end -> observedAttempt.startedAt().isAfter(end.plus(START_MAX)))
          .ifPresent(
              end ->
                  findings.add(
                      ViolationKind.ILLEGAL.found(
                          observedAttempt + " began after the task had ended at " + end)));
    }
    return findings;
  }

  /**
   * Where Redis lost its last second, with several attempts of one task in it, an attempt number
   * may be reused; but not before its first holder has ended.
   */
  private static boolean again(
      TaskHistory history, ObservedAttempt before, ObservedAttempt observedAttempt) {
    return history.forgotten(before.startedAt().minus(START_MAX), observedAttempt.startedAt())
        && before.ended().map(end -> end.isBefore(observedAttempt.startedAt())).orElse(false);
  }

  private static Optional<String> given(
      TaskHistory history, ObservedAttempt observedAttempt, List<ObservedTransition> claims) {
    if (claims.stream()
        .anyMatch(transition -> transition.pod().equals(Optional.of(observedAttempt.pod())))) {
      return Optional.empty();
    }
    // Events that Redis lost before they were relayed are in no journal.
    return history.forgotten(
            observedAttempt.startedAt().minusSeconds(1), observedAttempt.startedAt().plus(RELAYED))
        ? Optional.empty()
        : Optional.of("the journal has another holder: " + claims);
  }

  private static String name(ObservedAttempt observedAttempt) {
    return observedAttempt.id() + " " + observedAttempt.number();
  }
}
