package io.convoke.client.types;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * A {@code EventSegment} of the API.
 *
 * @param start Seconds of the session.
 * @param completed False for a draft.
 */
public record EventSegment(
    long id,
    double start,
    double end,
    String text,
    Optional<String> speaker,
    Optional<String> language,
    Optional<String> sessionUid,
    Instant createdAt,
    Optional<Instant> saidAt,
    boolean completed,
    Optional<Double> confidence,
    Optional<List<JsonNode>> words,
    Optional<Double> levelDb) {}
