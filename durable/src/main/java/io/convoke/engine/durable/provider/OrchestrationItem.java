package io.convoke.engine.durable.provider;

import java.util.List;

/**
 * An instance with its messages, and the lock on both.
 *
 * @param attempt the highest attempt among the messages, including this one
 * @param executionId the current execution, 1 for an instance that has none yet
 * @param turn grows with each lock on the instance and never falls: a node that cached the state of
 *     turn n, and holds turn n + 1, has missed no turn in between
 * @param messages in the order of their queueing
 */
public record OrchestrationItem(
    String instanceId,
    String lockToken,
    int attempt,
    long executionId,
    long turn,
    List<String> messages) {}
