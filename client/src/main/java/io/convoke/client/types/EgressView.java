package io.convoke.client.types;

import java.time.Instant;
import java.util.Optional;

/** A {@code EgressView} of the API. */
public record EgressView(
    String taskId,
    String kind,
    String room,
    String state,
    Instant createdAt,
    Optional<Instant> endedAt,
    Optional<Long> bytes,
    Optional<Instant> deletedAt) {}
