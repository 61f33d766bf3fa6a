package io.convoke.engine.durable.provider;

import java.time.Instant;
import java.util.Optional;

/**
 * A work item to be queued.
 *
 * @param activityId the number by which a turn may cancel it, unique within the execution
 * @param visibleAt when it may be handed out, by the store's clock; empty is at once
 */
public record WorkMessage(
    String instanceId,
    long executionId,
    long activityId,
    String item,
    Optional<Instant> visibleAt) {}
