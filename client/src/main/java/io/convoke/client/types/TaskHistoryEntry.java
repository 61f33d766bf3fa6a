package io.convoke.client.types;

import java.time.Instant;
import tools.jackson.databind.JsonNode;

/** A {@code TaskHistoryEntry} of the API. */
public record TaskHistoryEntry(
    long seq,
    String type,
    Instant at,
    String subject,
    JsonNode data) {}
