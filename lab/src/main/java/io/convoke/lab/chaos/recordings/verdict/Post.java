package io.convoke.lab.chaos.recordings.verdict;

/** A note that reached the CRM, with its idempotency key. */
public record Post(String recordingId, String key, String body) {}
