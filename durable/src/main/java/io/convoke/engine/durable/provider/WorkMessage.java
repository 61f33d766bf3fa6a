package io.convoke.engine.durable.provider;

import java.time.Instant;
import java.util.Optional;

/**
 * A work item to be queued.
 *
 * @param activityId the number by which a turn may cancel it, unique within the execution
 * @param visibleAt when it may be claimed, by the store's clock; empty is at once
 * @param limit concurrency by key: the item is claimable once it has a place among those of its
 *     key, in the order of their arrival, and after {@code visibleAt}; it keeps the place until it
 *     is acknowledged or cancelled
 * @param pool the worker pool that runs it: items of one pool never wait for workers of another
 */
public record WorkMessage(
    String instanceId,
    long executionId,
    long activityId,
    String item,
    Optional<Instant> visibleAt,
    Optional<ConcurrencyLimit> limit,
    String pool) {

  /** The pool of activities that name none. */
  public static final String ORDINARY = "";

  /** In the ordinary pool. */
  public WorkMessage(
      String instanceId,
      long executionId,
      long activityId,
      String item,
      Optional<Instant> visibleAt,
      Optional<ConcurrencyLimit> limit) {
    this(instanceId, executionId, activityId, item, visibleAt, limit, ORDINARY);
  }

  /** In the ordinary pool, without a limit. */
  public WorkMessage(
      String instanceId,
      long executionId,
      long activityId,
      String item,
      Optional<Instant> visibleAt) {
    this(instanceId, executionId, activityId, item, visibleAt, Optional.empty());
  }
}
