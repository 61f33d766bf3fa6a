package io.convoke.engine.durable;

import java.time.Instant;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * A job whose last attempt failed. It stays until it is requeued or deleted.
 *
 * @param error of the last attempt
 */
public record DeadJob(
    String id,
    String name,
    JsonNode input,
    String error,
    int attempts,
    List<String> tags,
    Instant enqueuedAt,
    Instant diedAt) {}
