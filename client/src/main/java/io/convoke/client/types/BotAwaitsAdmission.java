package io.convoke.client.types;

/** A {@code BotAwaitsAdmission} of the API. */
public record BotAwaitsAdmission(
    long meetingId,
    long userId,
    long attempt) {}
