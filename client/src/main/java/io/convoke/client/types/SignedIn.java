package io.convoke.client.types;

import java.time.Instant;
import java.util.Optional;

/**
 * A {@code SignedIn} of the API.
 *
 * @param role One of user, admin.
 * @param operatorRole One of viewer, operator, admin.
 * @param expiresAt Null for callers that came by a header.
 */
public record SignedIn(
    String role,
    Optional<String> operatorRole,
    Optional<Long> userId,
    Optional<Instant> expiresAt) {}
