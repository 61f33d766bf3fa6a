package io.convoke.chaos.recordings.rules;

/** A meeting's sync status in the end. */
public record SyncRow(long meeting, String status, long version, long attempts) {}
