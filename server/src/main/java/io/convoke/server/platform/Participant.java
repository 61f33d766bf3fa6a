package io.convoke.server.platform;

import java.time.Instant;
import java.util.Optional;

/**
 * One connection to a room. A person with two tabs is two of them; users and names are attributes
 * that may be missing.
 *
 * @param sessionId the connection's own id, unique in the room
 * @param joinedAt by the platform's clock
 */
public record Participant(
    String sessionId, Optional<String> userId, Optional<String> userName, Instant joinedAt) {}
