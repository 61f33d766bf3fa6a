package io.convoke.client.types;

import java.time.Instant;
import java.util.Optional;

/** A {@code DeadLetterRow} of the API. */
public record DeadLetterRow(
    long id,
    String source,
    String reason,
    Optional<String> room,
    long count,
    Instant firstAt,
    Instant lastAt,
    String body) {}
