package io.convoke.client.types;

import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * A {@code Task} of the API.
 *
 * @param payload An access_token shows as ***.
 * @param state One of PENDING, PROCESSING, SUCCESS, FAILED, TIMEOUT.
 * @param pendingAt Begin of the present window of waiting.
 * @param workerId The slot in the pod.
 */
public record Task(
    String id,
    String type,
    String action,
    String channel,
    String requestId,
    JsonNode payload,
    String state,
    Instant createdAt,
    Instant pendingAt,
    Optional<Instant> processedAt,
    Optional<Instant> completedAt,
    String error,
    Optional<Long> workerId,
    Optional<Instant> leaseExpiry,
    long retryCount,
    Optional<String> region,
    Optional<String> podId,
    long attempt) {}
