package io.convoke.engine.durable.provider;

import java.time.Instant;
import java.util.List;

/**
 * An instance with its messages, and the lock on both.
 *
 * @param executionId the current execution, 1 for an instance that has none yet
 * @param turn grows with each lock on the instance and never falls: a node that cached the state of
 *     turn n, and holds turn n + 1 of the same instance, has missed no turn in between
 * @param createdAt tells the instance from a deleted one that had the same id
 * @param delivered its messages, in the order of their queueing
 */
public record OrchestrationItem(
    String instanceId,
    String lockToken,
    long executionId,
    long turn,
    Instant createdAt,
    List<DeliveredMessage> delivered) {

  /**
   * A message under the lock.
   *
   * @param item its content, opaque to the provider
   * @param attempt how often it was delivered, including this time
   */
  public record DeliveredMessage(String item, int attempt) {}

  /** The contents of the messages, in the order of their queueing. */
  public List<String> messages() {
    return delivered.stream().map(DeliveredMessage::item).toList();
  }

  /** The highest attempt among the messages, including this one. */
  public int attempt() {
    return delivered.stream().mapToInt(DeliveredMessage::attempt).max().orElse(1);
  }
}
