package io.convoke.simulator.state;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One meeting session of a room: from the first join until the room stayed empty for the reconnect
 * allowance, or one participant was left alone for long.
 *
 * @param begun whether it counts as a session: a visit too short for one is not listed
 * @param endedAt when the last participant left, known only once the allowance has passed
 * @param sessions every connection, in order of joining
 */
public record Meeting(
    String meetingId,
    String label,
    String room,
    Instant startedAt,
    boolean begun,
    Optional<Instant> endedAt,
    int maxParticipants,
    List<RoomSession> sessions) {

  public boolean ongoing() {
    return endedAt.isEmpty();
  }

  public Duration duration(Instant now) {
    return Duration.between(startedAt, endedAt.orElse(now));
  }
}
