package io.convoke.chaos.history;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The truth about one connection of one person: the platform's own record.
 *
 * @param leftAt empty while the visit goes on
 * @param joinTold whether the server accepted the event of the join for good
 * @param leaveTold whether the server accepted the event of the leave for good
 */
public record ActualVisit(
    String room,
    String sessionId,
    Instant joinedAt,
    Optional<Instant> leftAt,
    boolean joinTold,
    boolean leaveTold) {

  /** Nobody told of it, and it was over before anybody had to look. */
  boolean unknowable(Duration freshness) {
    return !joinTold
        && !leaveTold
        && leftAt
            .filter(left -> Duration.between(joinedAt, left).compareTo(freshness) < 0)
            .isPresent();
  }

  boolean during(Instant at) {
    return !joinedAt.isAfter(at) && leftAt.filter(left -> !left.isAfter(at)).isEmpty();
  }

  /** For people: from when to when, and what the server was told of it. */
  String story() {
    return "%s from %s (%s) to %s (%s)"
        .formatted(
            sessionId,
            joinedAt,
            joinTold ? "told" : "not told",
            leftAt.map(Instant::toString).orElse("now"),
            leaveTold ? "told" : "not told");
  }
}
