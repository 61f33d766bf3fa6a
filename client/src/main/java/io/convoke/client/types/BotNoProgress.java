package io.convoke.client.types;

import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** A {@code BotNoProgress} of the API. */
public record BotNoProgress(
    long meetingId,
    long userId,
    long attempt,
    Optional<Instant> since,
    Optional<JsonNode> progress) {}
