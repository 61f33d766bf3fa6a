package io.convoke.client.types;

import java.time.Instant;
import java.util.Optional;

/** A {@code BotRescheduled} of the API. */
public record BotRescheduled(
    long meetingId,
    Optional<Instant> from,
    Instant to,
    String actor) {}
