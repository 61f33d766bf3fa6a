package io.convoke.client.types;

import java.time.Instant;

/** A {@code TeamMember} of the API. */
public record TeamMember(
    long userId,
    Instant addedAt) {}
