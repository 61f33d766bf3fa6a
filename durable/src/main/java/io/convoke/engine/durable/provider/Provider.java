package io.convoke.engine.durable.provider;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The store of durable workflows. Two queues hand out items under a lock with a token and an end:
 * messages to workflow instances, all of one instance together and to one holder at a time, and
 * work items, one by one. An item whose lock ends is handed out again with a higher attempt.
 *
 * <p>Every method that writes returns when its write is durable. Operations that need a lock answer
 * {@link LockStatus#LOST} when the token is unknown or its lock has ended, and then have changed
 * nothing.
 *
 * <p>All of them throw {@link ProviderFailure} for faults of the store.
 */
public interface Provider extends AutoCloseable {
  /**
   * The next instance that has visible messages and no holder.
   *
   * @param lockTimeout how long it is the caller's, by the store's clock
   * @param pollTimeout how long to wait for one; with long polling disabled there is no waiting
   * @return empty only when nothing was there to take
   */
  Optional<OrchestrationItem> fetchOrchestrationItem(Duration lockTimeout, Duration pollTimeout)
      throws InterruptedException;

  /**
   * Commits a turn: its history, its commands, the consumed messages, and the release of the lock.
   */
  LockStatus ackOrchestrationItem(String lockToken, TurnCommit turnCommit);

  /**
   * Gives an instance back with its messages.
   *
   * @param delay hides them for a while; empty leaves them visible
   * @param ignoreAttempt does not count this attempt
   */
  LockStatus abandonOrchestrationItem(
      String lockToken, Optional<Duration> delay, boolean ignoreAttempt);

  /** Makes a lock that has not ended end later, counted from now. */
  LockStatus renewOrchestrationItemLock(String lockToken, Duration extendBy);

  /** Sends a message to an instance, which need not exist. */
  void enqueueForOrchestrator(InstanceMessage message);

  /** Queues one work item. */
  void enqueueForWorker(WorkMessage message);

  /** The next visible work item; see {@link #fetchOrchestrationItem}. */
  default Optional<WorkItem> fetchWorkItem(Duration lockTimeout, Duration pollTimeout)
      throws InterruptedException {
    return fetchWorkItem(WorkMessage.ORDINARY, lockTimeout, pollTimeout);
  }

  /** The same of a pool. */
  Optional<WorkItem> fetchWorkItem(String pool, Duration lockTimeout, Duration pollTimeout)
      throws InterruptedException;

  /**
   * Removes a work item and sends its completion, in one step.
   *
   * @param completion empty when no instance waits for it
   */
  LockStatus ackWorkItem(String lockToken, Optional<InstanceMessage> completion);

  /** Gives a work item back; see {@link #abandonOrchestrationItem}. */
  LockStatus abandonWorkItem(String lockToken, Optional<Duration> delay, boolean ignoreAttempt);

  /**
   * As for instances; {@link LockStatus#LOST} is also how a worker learns that it was cancelled.
   */
  LockStatus renewWorkItemLock(String lockToken, Duration extendBy);

  /** The history of the current execution, oldest first; empty if there is none. */
  List<HistoryEvent> read(String instanceId);

  /** The time by the store's clock. */
  Instant now();

  /** Looking at instances and removing them. */
  ProviderAdmin admin();

  @Override
  void close();
}
