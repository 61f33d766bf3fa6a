package io.convoke.server.recordings;

import java.util.List;
import java.util.Optional;

/**
 * Whose a recording is: a meeting and its owner, or the meetings that it may belong to.
 *
 * @param candidates at most {@value #CANDIDATES_MAX} meetings, when it is not known
 */
record Placement(Optional<Owned> owned, List<Long> candidates) {
  static final int CANDIDATES_MAX = 50;

  /** A meeting and the user whose it is. */
  record Owned(long meetingId, long userId) {}

  static Placement in(long meetingId, long userId) {
    return new Placement(Optional.of(new Owned(meetingId, userId)), List.of());
  }

  static Placement unknown(List<Long> candidates) {
    return new Placement(Optional.empty(), candidates);
  }
}
