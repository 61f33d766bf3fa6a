package io.convoke.client.types;

import tools.jackson.databind.JsonNode;

/** A {@code HistoryEventView} of the API. */
public record HistoryEventView(
    long executionId,
    long eventId,
    String type,
    JsonNode data) {}
