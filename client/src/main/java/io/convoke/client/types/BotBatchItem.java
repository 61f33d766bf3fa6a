package io.convoke.client.types;

import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** A {@code BotBatchItem} of the API. */
public record BotBatchItem(
    long status,
    Optional<Meeting> meeting,
    Optional<JsonNode> problem) {}
