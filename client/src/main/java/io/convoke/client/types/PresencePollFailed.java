package io.convoke.client.types;

/** A {@code PresencePollFailed} of the API. */
public record PresencePollFailed(
    long meetingId,
    long userId,
    String from,
    String to,
    String trigger,
    String cause,
    long tookMs,
    long retryInMs) {}
