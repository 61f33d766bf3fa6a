package io.convoke.client.types;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A {@code SyncView} of the API.
 *
 * @param status One of not_started, in_progress, success, failure.
 */
public record SyncView(
    String meetingId,
    String status,
    Optional<Instant> updatedAt,
    Optional<String> lastStep,
    long attempts,
    long syncAttemptCount,
    Optional<String> lastSyncedBy,
    Optional<String> jobId,
    Optional<String> errorMessage,
    List<StepState> steps,
    boolean stalled,
    long version,
    long attempt,
    boolean stale) {}
