package io.convoke.client.types;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A {@code Invariant} of the API.
 *
 * @param standing One of holds, settling, violated.
 */
public record Invariant(
    String name,
    String claim,
    String standing,
    long checked,
    long allowedMs,
    Optional<Instant> since,
    long lateMs,
    long differing,
    List<String> examples) {}
