package io.convoke.client.types;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A {@code WebhookEndpointView} of the API. */
public record WebhookEndpointView(
    long id,
    Optional<Long> userId,
    String url,
    List<String> types,
    String state,
    Optional<String> reason,
    Instant createdAt) {}
