package io.convoke.chaos.recordings.rules;

/** A note that reached the CRM, with its idempotency key. */
public record ReceivedNote(String recordingId, String key, String body) {}
