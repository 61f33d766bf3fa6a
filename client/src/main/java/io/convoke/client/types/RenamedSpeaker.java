package io.convoke.client.types;

/** A {@code RenamedSpeaker} of the API. */
public record RenamedSpeaker(
    long meetingId,
    String from,
    String to,
    long segments) {}
