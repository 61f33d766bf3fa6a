package io.convoke.server.simulator;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Something that must be so, and how it stands.
 *
 * @param name a word for programs
 * @param claim the same as a sentence
 * @param checked how many things were looked at
 * @param allowedMs how long a difference may last
 * @param since when the oldest difference came about
 * @param lateMs how long ago that one should have been gone, 0 unless late
 * @param differing how many things differ
 * @param examples the oldest of them in words, a few
 */
record Invariant(
    String name,
    String claim,
    InvariantState standing,
    int checked,
    long allowedMs,
    Optional<Instant> since,
    long lateMs,
    int differing,
    List<String> examples) {
  private static final int EXAMPLES_MAX = 5;

  /** Whether it holds. */
  enum InvariantState {
    /** Nothing differs. */
    HOLDS,
    /** Something differs, and has time left. */
    SETTLING,
    /** Something differs for longer than it may. */
    VIOLATED
  }

  /** One thing that is not as it should be, since when. */
  record InvariantViolation(String what, Instant since) {}

  /** Judges differences by their age. */
  static Invariant of(
      String name,
      String claim,
      int checked,
      Duration allowed,
      List<InvariantViolation> differences,
      Instant now) {
    List<InvariantViolation> oldest =
        differences.stream().sorted(Comparator.comparing(InvariantViolation::since)).toList();
    Optional<Instant> since = oldest.stream().findFirst().map(InvariantViolation::since);
    long late =
        since
            .map(then -> Math.max(0, Duration.between(then.plus(allowed), now).toMillis()))
            .orElse(0L);
    InvariantState invariantState =
        since.isEmpty()
            ? InvariantState.HOLDS
            : late > 0 ? InvariantState.VIOLATED : InvariantState.SETTLING;
    return new Invariant(
        name,
        claim,
        invariantState,
        checked,
        allowed.toMillis(),
        since,
        late,
        differences.size(),
        oldest.stream().limit(EXAMPLES_MAX).map(InvariantViolation::what).toList());
  }
}
