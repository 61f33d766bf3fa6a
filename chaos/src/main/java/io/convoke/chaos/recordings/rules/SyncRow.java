package io.convoke.chaos.recordings.rules;

/** A meeting's sync status after the run. */
public record SyncRow(long meeting, String status, long version, long attempts) {}
