package io.convoke.server.sync;

import java.time.Instant;
import java.util.Optional;

/**
 * How far one step is, as it was last told.
 *
 * @param attempt in which attempt that was
 */
public record StepState(
    String step,
    SyncStatus status,
    Instant updatedAt,
    long attempt,
    Optional<String> jobId,
    Optional<String> errorMessage) {}
