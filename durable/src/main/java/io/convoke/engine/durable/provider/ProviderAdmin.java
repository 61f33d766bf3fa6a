package io.convoke.engine.durable.provider;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Looking at instances, and removing them. Nothing here is on the way of a turn. */
public interface ProviderAdmin {
  /**
   * An instance as its current execution stands.
   *
   * @param output result or error, once it ended
   */
  record InstanceInfo(
      String instanceId,
      String name,
      String version,
      long executionId,
      ExecutionStatus status,
      Optional<String> output,
      Optional<String> parent,
      Optional<String> customStatus,
      long customStatusVersion,
      Instant createdAt,
      Instant updatedAt) {}

  /** One execution of an instance. */
  record ExecutionInfo(
      long executionId,
      ExecutionStatus status,
      Optional<String> output,
      Instant startedAt,
      Optional<Instant> completedAt) {}

  /** Counts for gauges. */
  record ProviderMetrics(
      long instances, long running, long completed, long failed, long messages, long workItems) {}

  Optional<InstanceInfo> instance(String instanceId);

  /** Newest first, after an optional instance id of an earlier answer; at most {@code limit}. */
  List<InstanceInfo> instances(
      Optional<ExecutionStatus> status, Optional<String> name, Optional<String> after, int limit);

  List<ExecutionInfo> executions(String instanceId);

  List<HistoryEvent> history(String instanceId, long executionId);

  List<String> children(String instanceId);

  ProviderMetrics metrics();

  /**
   * Begins the next execution of a failed instance with this message, whose {@code data.at} becomes
   * the store's time. Of several callers one begins it.
   *
   * @return whether it had failed and has begun again
   */
  boolean restart(String instanceId, String startMessage);

  /**
   * Removes an instance with everything of it; an instance that still runs only if forced.
   *
   * @return whether it was there and is gone
   */
  boolean delete(String instanceId, boolean force);

  /**
   * Removes executions before the current one that ended so long ago, with their history; answers
   * how many, at most {@code limit}.
   */
  int pruneExecutions(Duration olderThan, int limit);

  /**
   * Removes instances that ended so long ago with all their data, sub-workflows too (their results
   * are in the history of their parents); returns how many, at most {@code limit}.
   */
  int pruneInstances(Duration olderThan, int limit);

  /**
   * Removes the row of an instance that never began, which a message to an unknown instance has
   * left. Does nothing to an instance that has begun or is about to.
   */
  void delete(String instanceId);
}
