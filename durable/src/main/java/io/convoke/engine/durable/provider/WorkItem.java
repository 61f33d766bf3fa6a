package io.convoke.engine.durable.provider;

/**
 * A work item and the lock on it.
 *
 * @param attempt how often it was handed out, this time included
 */
public record WorkItem(
    String lockToken,
    int attempt,
    String instanceId,
    long executionId,
    long activityId,
    String item) {}
