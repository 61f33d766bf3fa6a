package io.convoke.chaos.history;

/** A meeting as the server wrote it down, when all was over. */
public record MeetingRow(long meetingId, String room, String status, int numClients) {}
