package io.convoke.client.types;

import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** A {@code WorkflowView} of the API. */
public record WorkflowView(
    String id,
    String name,
    String status,
    long executionId,
    JsonNode output,
    Optional<String> error,
    Optional<String> parent,
    Optional<String> progress,
    Optional<Long> userId,
    Optional<Long> meetingId,
    Instant createdAt,
    Instant updatedAt,
    Optional<Instant> completedAt) {}
