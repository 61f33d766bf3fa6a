package io.convoke.client.types;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A {@code ApiToken} of the API. */
public record ApiToken(
    long id,
    Optional<String> name,
    List<String> scopes,
    Instant createdAt,
    Optional<Instant> expiresAt,
    Optional<Instant> lastUsedAt,
    Optional<Instant> revokedAt) {}
