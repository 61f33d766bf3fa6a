package io.convoke.client.types;

import java.time.Instant;
import tools.jackson.databind.JsonNode;

/** A {@code EventView} of the API. */
public record EventView(
    long seq,
    String type,
    String subject,
    Instant at,
    JsonNode data) {}
