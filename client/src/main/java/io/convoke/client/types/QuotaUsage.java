package io.convoke.client.types;

import java.util.Optional;

/** A {@code QuotaUsage} of the API. */
public record QuotaUsage(
    String name,
    long used,
    Optional<Long> limit) {}
