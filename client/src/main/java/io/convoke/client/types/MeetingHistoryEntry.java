package io.convoke.client.types;

import java.time.Instant;
import tools.jackson.databind.JsonNode;

/** A {@code MeetingHistoryEntry} of the API. */
public record MeetingHistoryEntry(
    long seq,
    String type,
    Instant at,
    String subject,
    JsonNode data) {}
