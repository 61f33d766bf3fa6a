package io.convoke.client.types;

import java.util.List;

/** A {@code PresencePolled} of the API. */
public record PresencePolled(
    long meetingId,
    long userId,
    String from,
    String to,
    String trigger,
    List<String> why,
    long tookMs,
    long joined,
    long left,
    long numClients) {}
