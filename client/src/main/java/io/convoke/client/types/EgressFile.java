package io.convoke.client.types;

import java.time.Instant;

/** A {@code EgressFile} of the API. */
public record EgressFile(
    String name,
    String mediaType,
    long size,
    Instant storedAt) {}
