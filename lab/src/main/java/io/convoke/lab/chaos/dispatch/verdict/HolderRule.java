package io.convoke.lab.chaos.dispatch.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
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
final class HolderRule implements TaskRule {
  /** From a claim to the first word of its program, on a machine that is full of others. */
  private static final Duration START_MAX = Duration.ofSeconds(2);

  @Override
  public List<Finding> check(TaskHistory history) {
    List<Finding> findings = new ArrayList<>();
    Map<String, Attempt> holders = new HashMap<>();
    for (Attempt attempt : history.attempts()) {
      Attempt other = holders.put(name(attempt), attempt);
      if (other != null && !again(history, other, attempt)) {
        findings.add(
            new Finding(Kind.DUPLICATED, "two hold one attempt: " + other + " and " + attempt));
      }
    }
    Map<String, List<Move>> story = history.story();
    for (Attempt attempt : history.attempts()) {
      List<Move> claims =
          story.getOrDefault(attempt.id(), List.of()).stream()
              .filter(move -> move.claim() && move.attempt() == attempt.number())
              .toList();
      given(history, attempt, claims)
          .ifPresent(why -> findings.add(new Finding(Kind.INVENTED, attempt + ": " + why)));
      history
          .row(attempt.id())
          .flatMap(Row::completedAt)
          .filter(end -> attempt.begun().isAfter(end.plus(START_MAX)))
          .ifPresent(
              end ->
                  findings.add(
                      new Finding(
                          Kind.ILLEGAL, attempt + " began after the task had ended at " + end)));
    }
    return findings;
  }

  /**
   * Where Redis lost the last second, with several attempts of one task in it, a number may come
   * again; but not before its first holder is through.
   */
  private static boolean again(TaskHistory history, Attempt before, Attempt attempt) {
    return history.forgotten(before.begun().minus(START_MAX), attempt.begun())
        && before.ended().map(end -> end.isBefore(attempt.begun())).orElse(false);
  }

  private static Optional<String> given(TaskHistory history, Attempt attempt, List<Move> claims) {
    if (claims.stream().anyMatch(move -> move.pod().equals(Optional.of(attempt.pod())))) {
      return Optional.empty();
    }
    // What Redis forgot before it was carried, no journal tells.
    return history.forgotten(attempt.begun().minusSeconds(1), attempt.begun().plusSeconds(20))
        ? Optional.empty()
        : Optional.of("the journal did not give it to that pod: " + claims);
  }

  private static String name(Attempt attempt) {
    return attempt.id() + " " + attempt.number();
  }
}
