package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.history.RuleViolation;
import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An attempt has one holder, and it is the one to whom the journal says that it was given. That an
 * attempt which was given never began is no fault: its pod may have died before. None begins after
 * the task has ended.
 */
final class SingleHolderRule implements TaskRule {
  /** From a claim to the first word of its program, on a machine that is full of others. */
  private static final Duration START_MAX = Duration.ofSeconds(2);

  @Override
  public List<RuleViolation> check(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, ObservedAttempt> holders = new HashMap<>();
    for (ObservedAttempt observedAttempt : history.attempts()) {
      ObservedAttempt other = holders.put(name(observedAttempt), observedAttempt);
      if (other != null && !again(history, other, observedAttempt)) {
        findings.add(
            new RuleViolation(
                ViolationKind.DUPLICATED,
                "two hold one attempt: " + other + " and " + observedAttempt));
      }
    }
    Map<String, List<TaskMove>> story = history.story();
    for (ObservedAttempt observedAttempt : history.attempts()) {
      List<TaskMove> claims =
          story.getOrDefault(observedAttempt.id(), List.of()).stream()
              .filter(
                  taskMove -> taskMove.claim() && taskMove.attempt() == observedAttempt.number())
              .toList();
      given(history, observedAttempt, claims)
          .ifPresent(
              why ->
                  findings.add(
                      new RuleViolation(ViolationKind.INVENTED, observedAttempt + ": " + why)));
      history
          .row(observedAttempt.id())
          .flatMap(TaskRow::completedAt)
          .filter(end -> observedAttempt.startedAt().isAfter(end.plus(START_MAX)))
          .ifPresent(
              end ->
                  findings.add(
                      new RuleViolation(
                          ViolationKind.ILLEGAL,
                          observedAttempt + " began after the task had ended at " + end)));
    }
    return findings;
  }

  /**
   * Where Redis lost the last second, with several attempts of one task in it, a number may come
   * again; but not before its first holder is through.
   */
  private static boolean again(
      TaskHistory history, ObservedAttempt before, ObservedAttempt observedAttempt) {
    return history.forgotten(before.startedAt().minus(START_MAX), observedAttempt.startedAt())
        && before.ended().map(end -> end.isBefore(observedAttempt.startedAt())).orElse(false);
  }

  private static Optional<String> given(
      TaskHistory history, ObservedAttempt observedAttempt, List<TaskMove> claims) {
    if (claims.stream()
        .anyMatch(taskMove -> taskMove.pod().equals(Optional.of(observedAttempt.pod())))) {
      return Optional.empty();
    }
    // What Redis forgot before it was carried, no journal tells.
    return history.forgotten(
            observedAttempt.startedAt().minusSeconds(1),
            observedAttempt.startedAt().plusSeconds(20))
        ? Optional.empty()
        : Optional.of("the journal did not give it to that pod: " + claims);
  }

  private static String name(ObservedAttempt observedAttempt) {
    return observedAttempt.id() + " " + observedAttempt.number();
  }
}
