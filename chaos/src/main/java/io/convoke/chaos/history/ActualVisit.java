package io.convoke.chaos.history;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * One connection of one person, from the platform's own record.
 *
 * @param leftAt empty while the visit is open
 * @param joinDelivered whether the server durably accepted the join event
 * @param leaveDelivered whether the server durably accepted the leave event
 * @param joinKnown when a server first accepted the join event
 * @param leaveKnown when a server first accepted the leave event
 * @param userId the platform's id of the person
 * @param userName empty for a person without a name
 * @param toldName the name in an accepted join event
 */
public record ActualVisit(
    String room,
    String sessionId,
    Instant joinedAt,
    Optional<Instant> leftAt,
    boolean joinDelivered,
    boolean leaveDelivered,
    Optional<Instant> joinKnown,
    Optional<Instant> leaveKnown,
    Optional<String> userId,
    Optional<String> userName,
    Optional<String> toldName) {

  /** A visit of an unknown person. */
  public ActualVisit(
      String room,
      String sessionId,
      Instant joinedAt,
      Optional<Instant> leftAt,
      boolean joinDelivered,
      boolean leaveDelivered,
      Optional<Instant> joinKnown,
      Optional<Instant> leaveKnown) {
    this(
        room,
        sessionId,
        joinedAt,
        leftAt,
        joinDelivered,
        leaveDelivered,
        joinKnown,
        leaveKnown,
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  /** A visit of an unknown person, of which it is not known when its events were accepted. */
  public ActualVisit(
      String room,
      String sessionId,
      Instant joinedAt,
      Optional<Instant> leftAt,
      boolean joinDelivered,
      boolean leaveDelivered) {
    this(
        room,
        sessionId,
        joinedAt,
        leftAt,
        joinDelivered,
        leaveDelivered,
        Optional.empty(),
        Optional.empty());
  }

  /** No event was delivered, and the visit ended before a poll had to see it. */
  boolean unknowable(Duration freshness) {
    return !joinDelivered
        && !leaveDelivered
        && leftAt
            .filter(left -> Duration.between(joinedAt, left).compareTo(freshness) < 0)
            .isPresent();
  }

  boolean during(Instant at) {
    return !joinedAt.isAfter(at) && leftAt.filter(left -> !left.isAfter(at)).isEmpty();
  }

  /** The visit as text: join and leave times, and which events were delivered. */
  String story() {
    return "%s from %s (%s) to %s (%s)"
        .formatted(
            sessionId,
            joinedAt,
            joinDelivered ? "delivered" : "not delivered",
            leftAt.map(Instant::toString).orElse("now"),
            leaveDelivered ? "delivered" : "not delivered");
  }
}
