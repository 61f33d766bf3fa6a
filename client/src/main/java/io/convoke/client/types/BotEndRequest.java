package io.convoke.client.types;

import java.time.Instant;

/** A {@code BotEndRequest} of the API. */
public record BotEndRequest(
    Instant at,
    String reason) {}
