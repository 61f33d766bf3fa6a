package io.convoke.engine.durable.provider;

/**
 * A work item and the lock on it.
 *
 * @param attempt how often it was delivered, including this time
 */
public record WorkItem(
    String lockToken,
    int attempt,
    String instanceId,
    long executionId,
    long activityId,
    String item) {}
