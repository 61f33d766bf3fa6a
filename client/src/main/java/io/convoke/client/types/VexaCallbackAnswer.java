package io.convoke.client.types;

/**
 * A {@code VexaCallbackAnswer} of the API.
 *
 * @param status One of processed.
 */
public record VexaCallbackAnswer(
    String status,
    long meetingId,
    String meetingStatus) {}
