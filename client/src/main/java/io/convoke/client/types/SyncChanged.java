package io.convoke.client.types;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * A {@code SyncChanged} of the API.
 *
 * @param version Grows with every applied update.
 * @param syncAttemptCount The same as attempts.
 * @param seq The last seq of the attempt.
 */
public record SyncChanged(
    String meetingId,
    String status,
    long version,
    long attempt,
    long attempts,
    List<JsonNode> steps,
    long syncAttemptCount,
    Optional<Long> userId,
    Optional<Instant> updatedAt,
    Optional<String> lastStep,
    Optional<String> errorMessage,
    Optional<String> lastSyncedBy,
    Optional<String> jobId,
    Optional<Long> seq,
    Optional<Instant> attemptAt,
    Optional<Boolean> unanswered,
    Optional<String> updateId,
    Optional<String> from,
    Optional<String> to,
    Optional<String> cause,
    Optional<String> by) {}
