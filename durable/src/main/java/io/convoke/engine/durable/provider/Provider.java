package io.convoke.engine.durable.provider;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The store of durable workflows. Two queues deliver items under a lock with a token and a timeout:
 * messages to workflow instances, all of one instance together and to one holder at a time, and
 * work items, one by one. After the lock has expired, an item is delivered again with a higher
 * attempt.
 *
 * <p>Every method that writes returns when its write is durable. Operations on a lock return {@link
 * LockStatus#LOST} when the token is unknown or its lock has expired, and then have changed
 * nothing.
 *
 * <p>All methods throw {@link ProviderFailure} for faults of the store.
 */
public interface Provider extends AutoCloseable {
  /**
   * Locks the next instance that has visible messages and no lock.
   *
   * @param lockTimeout of the lock, by the store's clock
   * @param pollTimeout how long to wait for an instance; ignored with long polling disabled
   * @return empty only if there was no such instance
   */
  Optional<OrchestrationItem> fetchOrchestrationItem(Duration lockTimeout, Duration pollTimeout)
      throws InterruptedException;

  /**
   * Commits a turn: its history, its commands, the consumed messages, and the release of the lock.
   */
  LockStatus ackOrchestrationItem(String lockToken, TurnCommit turnCommit);

  /**
   * Releases an instance with its messages.
   *
   * @param delay until the messages are visible; empty leaves them visible
   * @param ignoreAttempt does not count this attempt; with a delay too, the instance is meant for
   *     other nodes, and this one looks for it a little later than they do
   */
  LockStatus abandonOrchestrationItem(
      String lockToken, Optional<Duration> delay, boolean ignoreAttempt);

  /** Extends a lock that has not expired, from now on. */
  LockStatus renewOrchestrationItemLock(String lockToken, Duration extendBy);

  /** Sends a message to an instance, which need not exist. */
  void enqueueForOrchestrator(InstanceMessage message);

  /**
   * Sends the message that starts an instance in a transaction of the caller; the caller commits.
   */
  void start(Connection connection, String instanceId, StartMessage message) throws SQLException;

  /** Queues one work item. */
  void enqueueForWorker(WorkMessage message);

  /** The next visible work item; see {@link #fetchOrchestrationItem}. */
  default Optional<WorkItem> fetchWorkItem(Duration lockTimeout, Duration pollTimeout)
      throws InterruptedException {
    return fetchWorkItem(WorkMessage.DEFAULT_POOL, lockTimeout, pollTimeout);
  }

  /** The next visible work item of a pool. */
  Optional<WorkItem> fetchWorkItem(String pool, Duration lockTimeout, Duration pollTimeout)
      throws InterruptedException;

  /** Before the end of all dispatchers: from now on no fetch waits, and those that do return. */
  void endWaits();

  /**
   * Removes a work item and sends its completion, in one transaction.
   *
   * @param completion empty when no instance waits for it
   */
  LockStatus ackWorkItem(String lockToken, Optional<InstanceMessage> completion);

  /** Releases a work item; see {@link #abandonOrchestrationItem}. */
  LockStatus abandonWorkItem(String lockToken, Optional<Duration> delay, boolean ignoreAttempt);

  /** Extends a lock; {@link LockStatus#LOST} also means that the activity was cancelled. */
  LockStatus renewWorkItemLock(String lockToken, Duration extendBy);

  /** The history of the current execution, oldest first; empty if there is none. */
  List<HistoryEvent> read(String instanceId);

  /** The time by the store's clock. */
  Instant now();

  /** Queues, queries and removes jobs. */
  JobRepository jobs();

  /** Queries and removes instances. */
  ProviderAdmin admin();

  /** Announcements of ended instances between the nodes of the store. */
  EndAnnouncements ends();

  @Override
  void close();
}
