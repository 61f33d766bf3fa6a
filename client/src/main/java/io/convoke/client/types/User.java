package io.convoke.client.types;

import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** A {@code User} of the API. */
public record User(
    long id,
    Optional<String> email,
    Optional<String> name,
    Optional<String> imageUrl,
    Optional<Long> maxConcurrentBots,
    JsonNode data,
    Instant createdAt,
    Optional<String> oidcIssuer,
    Optional<String> oidcSubject,
    boolean disabled) {}
