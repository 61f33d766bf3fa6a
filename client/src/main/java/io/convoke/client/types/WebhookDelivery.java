package io.convoke.client.types;

import java.time.Instant;
import java.util.Optional;

/** A {@code WebhookDelivery} of the API. */
public record WebhookDelivery(
    long id,
    String messageId,
    String type,
    String subject,
    String state,
    long attempts,
    Instant createdAt,
    Optional<Instant> lastTriedAt,
    Optional<Instant> nextTryAt,
    Optional<Long> lastStatus,
    Optional<String> lastError,
    Optional<Instant> deliveredAt) {}
