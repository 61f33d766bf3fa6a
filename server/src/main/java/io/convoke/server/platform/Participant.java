package io.convoke.server.platform;

import java.time.Instant;
import java.util.Optional;

/**
 * One connection to a room. A user with two tabs is two participants; user id and name may be
 * missing.
 *
 * @param sessionId the connection's own id, unique in the room
 * @param joinedAt by the platform's clock
 * @param platformSession the platform's own id of the meeting, which is another one after each time
 *     that the room was empty; absent where it does not tell
 */
public record Participant(
    String sessionId,
    Optional<String> userId,
    Optional<String> userName,
    Instant joinedAt,
    Optional<String> platformSession) {

  /** A participant of a platform that does not tell which meeting it is. */
  public Participant(
      String sessionId, Optional<String> userId, Optional<String> userName, Instant joinedAt) {
    this(sessionId, userId, userName, joinedAt, Optional.empty());
  }
}
