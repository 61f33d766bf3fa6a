package io.convoke.client.types;

/** A {@code BotCommandGiven} of the API. */
public record BotCommandGiven(
    long meetingId,
    String commandId) {}
