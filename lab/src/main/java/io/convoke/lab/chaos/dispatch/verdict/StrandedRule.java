package io.convoke.lab.chaos.dispatch.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * What a silent pod held moves on soon: its death is noticeable after so much silence, and
 * {@linkplain TaskHistory.Limits#stranded soon} after that the task waits again or has ended,
 * unless the pod was heard again by then. Silence counts while a server tends; after Redis may have
 * forgotten which pod holds a task, the task is that pod's for a whole lease.
 */
final class StrandedRule implements TaskRule {
  @Override
  public List<Finding> check(TaskHistory history) {
    List<Finding> findings = new ArrayList<>();
    for (Taken taken : taken(history)) {
      Instant limit = limit(history, taken.silence().from());
      boolean late =
          taken.moved().map(at -> at.isAfter(limit)).orElse(false) && !taken.silence().over(limit);
      if (late) {
        findings.add(
            new Finding(
                Kind.LATE,
                "%s: what it held moved %d ms after its death was noticeable: %s"
                    .formatted(taken.silence(), taken.late(history).toMillis(), taken.claim())));
      }
    }
    return findings;
  }

  /**
   * A task that a pod held when it fell silent.
   *
   * @param moved when it moved on, if it did
   */
  record Taken(Silence silence, Move claim, Optional<Instant> moved) {
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

  static List<Taken> taken(TaskHistory history) {
    Collection<List<Move>> stories = history.story().values();
    List<Taken> all = new ArrayList<>();
    for (Silence silence : history.silences()) {
      for (List<Move> moves : stories) {
        for (int i = 0; i < moves.size(); i++) {
          Move claim = moves.get(i);
          Optional<Instant> moved = movedOn(history, silence, moves, i);
          if (claim.claim()
              && claim.pod().equals(Optional.of(silence.pod()))
              && claim.at().isBefore(silence.from())
              && moved.map(at -> at.isAfter(silence.from())).orElse(true)) {
            all.add(new Taken(silence, claim, moved));
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
      TaskHistory history, Silence silence, List<Move> moves, int claim) {
    return moves.stream()
        .skip(claim + 1L)
        .filter(move -> !move.type().equals(Move.STOPPING))
        .map(Move::at)
        .findFirst()
        .filter(
            at ->
                !history.forgotten(silence.from(), at)
                    || history.attempts(moves.get(claim).id()).stream()
                        .filter(attempt -> attempt.number() > moves.get(claim).attempt())
                        .noneMatch(attempt -> attempt.begun().isBefore(at)));
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
              .filter(trouble -> trouble.touches(silent, now))
              .map(
                  trouble ->
                      trouble
                          .to()
                          .plus(
                              trouble.forgets()
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
