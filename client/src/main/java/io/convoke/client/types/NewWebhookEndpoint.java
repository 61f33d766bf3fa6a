package io.convoke.client.types;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A {@code NewWebhookEndpoint} of the API. */
public record NewWebhookEndpoint(
    long id,
    Optional<Long> userId,
    String url,
    List<String> types,
    String state,
    Optional<String> reason,
    Instant createdAt,
    String secret) {}
