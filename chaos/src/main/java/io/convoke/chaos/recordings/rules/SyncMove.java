package io.convoke.chaos.recordings.rules;

/** A move of a meeting's sync status as the journal tells it. */
public record SyncMove(
    long seq, long meeting, long version, String from, String to, long attempts) {}
