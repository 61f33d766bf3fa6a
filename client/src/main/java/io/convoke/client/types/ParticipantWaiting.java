package io.convoke.client.types;

import java.time.Instant;
import java.util.Optional;

/** A {@code ParticipantWaiting} of the API. */
public record ParticipantWaiting(
    long meetingId,
    long userId,
    String sessionId,
    Optional<String> participantId,
    Optional<String> userName,
    Instant at) {}
