package io.convoke.client.types;

/**
 * A {@code TranscriptClosed} of the API.
 *
 * @param segments How many there are.
 */
public record TranscriptClosed(
    long meetingId,
    long segments) {}
