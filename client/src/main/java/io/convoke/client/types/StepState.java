package io.convoke.client.types;

import java.time.Instant;
import java.util.Optional;

/**
 * A {@code StepState} of the API.
 *
 * @param status One of not_started, in_progress, success, failure.
 */
public record StepState(
    String step,
    String status,
    Instant updatedAt,
    long attempt,
    Optional<String> jobId,
    Optional<String> errorMessage) {}
