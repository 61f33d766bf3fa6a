package io.convoke.client.types;

/** A {@code BotKillWanted} of the API. */
public record BotKillWanted(
    long meetingId,
    String actor,
    long attempt) {}
