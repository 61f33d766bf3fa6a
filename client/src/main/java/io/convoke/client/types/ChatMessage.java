package io.convoke.client.types;

import java.time.Instant;
import java.util.Optional;

/** A {@code ChatMessage} of the API. */
public record ChatMessage(
    long id,
    Optional<String> sender,
    String text,
    Instant at,
    boolean fromBot) {}
