package io.convoke.client.types;

/** A {@code WaitingCommand} of the API. */
public record WaitingCommand(
    String id,
    String action) {}
