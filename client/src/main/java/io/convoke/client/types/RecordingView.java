package io.convoke.client.types;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A {@code RecordingView} of the API.
 *
 * @param status One of in_progress, ready, processing, done, failed, cancelled, empty, given_up, unmatched.
 */
public record RecordingView(
    String recordingId,
    Optional<Long> meetingId,
    String status,
    Optional<String> reason,
    List<RecordingStep> steps,
    long run,
    String roomName,
    String kind,
    String foundBy,
    Optional<String> owner,
    Optional<Instant> deadline,
    List<Long> candidates,
    Optional<Instant> startTime,
    Optional<Long> durationS,
    Optional<AudioView> audio,
    Optional<String> workflowId,
    Instant stateEnteredAt,
    Instant createdAt,
    Instant updatedAt) {}
