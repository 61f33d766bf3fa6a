package io.convoke.client.types;

/** A {@code BotUploadAnswer} of the API. */
public record BotUploadAnswer(
    String recordingId,
    String status) {}
