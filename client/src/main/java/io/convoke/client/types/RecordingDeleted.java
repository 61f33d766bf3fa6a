package io.convoke.client.types;

/** A {@code RecordingDeleted} of the API. */
public record RecordingDeleted(
    String recordingId,
    String actor) {}
