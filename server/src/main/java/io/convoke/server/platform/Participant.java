package io.convoke.server.platform;

import java.time.Instant;
import java.util.Optional;

/**
 * One connection to a room. A user with two tabs is two participants; user id and name may be
 * missing.
 *
 * @param sessionId the connection's own id, unique in the room
 * @param joinedAt by the platform's clock
 */
public record Participant(
    String sessionId, Optional<String> userId, Optional<String> userName, Instant joinedAt) {}
