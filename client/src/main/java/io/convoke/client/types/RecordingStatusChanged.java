package io.convoke.client.types;

import java.util.Optional;

/** A {@code RecordingStatusChanged} of the API. */
public record RecordingStatusChanged(
    String recordingId,
    Optional<Long> meetingId,
    Optional<Long> userId,
    Optional<String> from,
    String to,
    String reason,
    String event,
    String actor,
    long run) {}
