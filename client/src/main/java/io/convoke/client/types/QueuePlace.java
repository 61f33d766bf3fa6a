package io.convoke.client.types;

import java.time.Instant;

/** A {@code QueuePlace} of the API. */
public record QueuePlace(
    long position,
    Instant since,
    Instant until) {}
