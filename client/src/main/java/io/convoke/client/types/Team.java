package io.convoke.client.types;

import java.time.Instant;

/** A {@code Team} of the API. */
public record Team(
    long id,
    String name,
    long members,
    Instant createdAt) {}
