package io.convoke.client.types;

import java.time.Instant;
import java.util.Optional;

/** A {@code ExecutionView} of the API. */
public record ExecutionView(
    long executionId,
    String status,
    Instant startedAt,
    Optional<Instant> completedAt) {}
