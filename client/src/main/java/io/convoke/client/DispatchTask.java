package io.convoke.client;

import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * A task of a pod.
 *
 * @param state PENDING, PROCESSING, SUCCESS, FAILED and others
 * @param error empty unless it has failed
 */
public record DispatchTask(
    String id,
    String requestId,
    String type,
    String action,
    String channel,
    Optional<String> region,
    JsonNode payload,
    String state,
    Instant createdAt,
    Optional<Instant> processedAt,
    Optional<Instant> completedAt,
    String error,
    Optional<String> podId,
    int attempt) {}
