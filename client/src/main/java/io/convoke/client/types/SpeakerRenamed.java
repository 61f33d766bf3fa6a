package io.convoke.client.types;

/**
 * A {@code SpeakerRenamed} of the API.
 *
 * @param segments How many segments were renamed.
 */
public record SpeakerRenamed(
    long meetingId,
    String from,
    String to,
    long segments) {}
