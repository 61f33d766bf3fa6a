package io.convoke.engine.durable.provider;

import java.time.Instant;
import java.util.Optional;

/**
 * A new work item.
 *
 * @param activityId the number by which a turn may cancel it, unique within the execution
 * @param visibleAt when it may be claimed, by the store's clock; empty is at once
 * @param limit the item is claimable once it has a slot of its key, which items get in FIFO order,
 *     and after {@code visibleAt}; it keeps the slot until it is acked or cancelled
 * @param pool the worker pool that runs it; items of one pool never wait for workers of another
 */
public record WorkMessage(
    String instanceId,
    long executionId,
    long activityId,
    String item,
    Optional<Instant> visibleAt,
    Optional<ConcurrencyLimit> limit,
    String pool) {

  /** The default pool. */
  public static final String DEFAULT_POOL = "";

  /** An item of the default pool. */
  public WorkMessage(
      String instanceId,
      long executionId,
      long activityId,
      String item,
      Optional<Instant> visibleAt,
      Optional<ConcurrencyLimit> limit) {
    this(instanceId, executionId, activityId, item, visibleAt, limit, DEFAULT_POOL);
  }

  /** An item of the default pool without a limit. */
  public WorkMessage(
      String instanceId,
      long executionId,
      long activityId,
      String item,
      Optional<Instant> visibleAt) {
    this(instanceId, executionId, activityId, item, visibleAt, Optional.empty());
  }
}
