package io.convoke.client.types;

import java.time.Instant;
import java.util.Optional;

/** A {@code ParticipantView} of the API. */
public record ParticipantView(
    String sessionId,
    Optional<String> userId,
    Optional<String> userName,
    Instant joinedAt,
    Optional<Instant> leftAt) {}
