package io.convoke.client.types;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A {@code IssuedApiToken} of the API. */
public record IssuedApiToken(
    long id,
    String token,
    List<String> scopes,
    Optional<Instant> expiresAt) {}
