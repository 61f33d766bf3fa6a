package io.convoke.server.simulator;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The invariants as the simulator checked them.
 *
 * @param at time of the compared state
 */
record InvariantReport(Instant at, List<Invariant> invariants) {

  /** Whether an invariant holds. */
  enum InvariantState {
    /** Nothing differs. */
    HOLDS,
    /** There are differences, all within the allowed time. */
    SETTLING,
    /** A difference exceeds the allowed time. */
    VIOLATED
  }

  /**
   * An invariant and its state.
   *
   * @param name identifier for programs
   * @param claim the invariant as a sentence
   * @param checked number of checked items
   * @param allowedMs how long a difference may last
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
      List<String> examples) {}
}
