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
    Standing standing,
    int checked,
    long allowedMs,
    Optional<Instant> since,
    long lateMs,
    int differing,
    List<String> examples) {
  private static final int EXAMPLES_MAX = 5;

  /** Whether it holds. */
  enum Standing {
    /** Nothing differs. */
    HOLDS,
    /** Something differs, and has time left. */
    SETTLING,
    /** Something differs for longer than it may. */
    VIOLATED
  }

  /** One thing that is not as it should be, since when. */
  record Difference(String what, Instant since) {}

  /** Judges differences by their age. */
  static Invariant of(
      String name,
      String claim,
      int checked,
      Duration allowed,
      List<Difference> differences,
      Instant now) {
    List<Difference> oldest =
        differences.stream().sorted(Comparator.comparing(Difference::since)).toList();
    Optional<Instant> since = oldest.stream().findFirst().map(Difference::since);
    long late =
        since
            .map(then -> Math.max(0, Duration.between(then.plus(allowed), now).toMillis()))
            .orElse(0L);
    Standing standing =
        since.isEmpty() ? Standing.HOLDS : late > 0 ? Standing.VIOLATED : Standing.SETTLING;
    return new Invariant(
        name,
        claim,
        standing,
        checked,
        allowed.toMillis(),
        since,
        late,
        differences.size(),
        oldest.stream().limit(EXAMPLES_MAX).map(Difference::what).toList());
  }
}
