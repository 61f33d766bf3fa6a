package io.convoke.client.types;

import java.time.Instant;
import java.util.Optional;

/**
 * A {@code ParticipantSeen} of the API.
 *
 * @param source How it was found: webhook, poll or bulk.
 * @param numClients How many are in the room after it.
 */
public record ParticipantSeen(
    long meetingId,
    long userId,
    String sessionId,
    Optional<String> participantId,
    Optional<String> userName,
    Instant at,
    Instant joinedAt,
    Optional<Instant> leftAt,
    String source,
    long numClients) {}
