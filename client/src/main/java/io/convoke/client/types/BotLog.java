package io.convoke.client.types;

import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** A {@code BotLog} of the API. */
public record BotLog(
    long meetingId,
    long attempt,
    Optional<Long> exitCode,
    Optional<String> reason,
    JsonNode lines) {}
