package io.convoke.client.types;

/** A {@code PresencePollRequested} of the API. */
public record PresencePollRequested(
    long meetingId,
    long userId,
    String from,
    String to) {}
