package io.convoke.simulator.control;

import io.convoke.simulator.http.JsonObjectBuilder;
import io.convoke.simulator.http.SimJson;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * An invariant and its state.
 *
 * @param name identifier for programs
 * @param claim the invariant as a sentence
 * @param standing whether it holds
 * @param checked number of checked items
 * @param allowedMs how long a violation may last
 * @param since start of the oldest difference
 * @param lateMs by how much that one exceeds {@code allowedMs}, 0 unless late
 * @param differing number of differences
 * @param examples descriptions of a few of the oldest differences
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
    /** There are differences, all within the allowed time. */
    SETTLING,
    /** A difference exceeds the allowed time. */
    VIOLATED
  }

  /** One difference and its start. */
  record InvariantViolation(String what, Instant since) {}

  /** Derives the state from the age of the differences. */
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

  /** The JSON object of the answer. */
  Map<String, Object> json() {
    return JsonObjectBuilder.of("name", name)
        .put("claim", claim)
        .put("standing", standing.name().toLowerCase(Locale.ROOT))
        .put("checked", checked)
        .put("allowed_ms", allowedMs)
        .put("since", since.map(SimJson::time))
        .put("late_ms", lateMs)
        .put("differing", differing)
        .put("examples", examples)
        .map();
  }
}
