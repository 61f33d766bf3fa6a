package io.convoke.chaos.recordings.rules;

/** A transition of a meeting's sync status in the journal. */
public record SyncTransition(
    long seq, long meeting, long version, String from, String to, long attempts) {}
