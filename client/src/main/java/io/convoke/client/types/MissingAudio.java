package io.convoke.client.types;

/** A {@code MissingAudio} of the API. */
public record MissingAudio(
    String recordingId,
    String key,
    String what) {}
