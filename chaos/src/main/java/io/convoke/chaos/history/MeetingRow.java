package io.convoke.chaos.history;

/** A meeting's row after the run. */
public record MeetingRow(long meetingId, String room, String status, int numClients) {}
