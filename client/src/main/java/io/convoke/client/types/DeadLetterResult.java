package io.convoke.client.types;

import java.util.Optional;

/**
 * A {@code DeadLetterResult} of the API.
 *
 * @param outcome One of would_requeue, requeued, would_discard, discarded, already, not_dead, unknown, channel_busy, queue_full, payload_too_large, refused.
 */
public record DeadLetterResult(
    String id,
    String outcome,
    Optional<String> taskId) {}
