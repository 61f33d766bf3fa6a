package io.convoke.simulator.state;

import java.util.List;
import java.util.Optional;

/**
 * A room at one instant.
 *
 * @param meetingId the running meeting, if any
 * @param waiting session ids of those in the lobby
 */
public record RoomView(
    Room room, Optional<String> meetingId, List<RoomSession> present, List<String> waiting) {

  /** Whether this session is connected. */
  public boolean has(String sessionId) {
    return present.stream().anyMatch(s -> s.sessionId().equals(sessionId));
  }
}
