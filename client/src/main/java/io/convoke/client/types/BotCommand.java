package io.convoke.client.types;

import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * A {@code BotCommand} of the API.
 *
 * @param rule The rule of the server that it comes from.
 */
public record BotCommand(
    long meetingId,
    String commandId,
    String action,
    String actor,
    long attempt,
    Optional<String> rule,
    Optional<List<String>> applied,
    Optional<List<JsonNode>> notApplied) {}
