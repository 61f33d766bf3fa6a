package io.convoke.simulator.state;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * One connection of one visitor to one meeting, from joining to leaving.
 *
 * @param sessionId the connection's id, never used twice
 * @param label a name that is the same in every run of the same script: room, visitor, how manieth
 *     visit
 */
public record RoomSession(
    String sessionId,
    String label,
    String room,
    String meetingId,
    Visitor visitor,
    Instant joinedAt,
    Optional<Instant> leftAt,
    Optional<LeaveReason> reason) {

  /** Whether the visitor was connected at this instant. */
  public boolean presentAt(Instant at) {
    return !joinedAt.isAfter(at) && leftAt.map(left -> left.isAfter(at)).orElse(true);
  }

  /** How long the connection lasted, or has lasted by now. */
  public Duration duration(Instant now) {
    return Duration.between(joinedAt, leftAt.orElse(now));
  }

  /** The same connection in the next meeting of the room. */
  RoomSession in(String nextMeetingId) {
    return new RoomSession(
        sessionId, label, room, nextMeetingId, visitor, joinedAt, leftAt, reason);
  }

  RoomSession ended(Instant at, LeaveReason why) {
    return new RoomSession(
        sessionId, label, room, meetingId, visitor, joinedAt, Optional.of(at), Optional.of(why));
  }
}
