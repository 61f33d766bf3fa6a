package io.convoke.client.types;

import java.time.Instant;
import java.util.Optional;

/**
 * A {@code TaskMoved} of the API.
 *
 * @param state One of PENDING, PROCESSING, SUCCESS, FAILED, TIMEOUT.
 */
public record TaskMoved(
    String taskId,
    String requestId,
    String taskType,
    String channel,
    Optional<String> region,
    Optional<Long> userId,
    String state,
    long attempt,
    Optional<String> podId,
    Optional<Long> workerId,
    Optional<String> error,
    Instant movedAt,
    Optional<Instant> pendingAt) {}
