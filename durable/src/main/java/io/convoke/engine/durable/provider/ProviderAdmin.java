package io.convoke.engine.durable.provider;

import io.convoke.engine.durable.provider.TurnCommit.ExecutionOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Queries and removes instances; no turn uses it. */
public interface ProviderAdmin {
  /**
   * An instance with the state of its current execution.
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

  /** Whether messages wait for this instance, which does not exist before its first turn. */
  boolean isAwaited(String instanceId);

  /**
   * Instances, newest first, at most {@code limit}; {@code after} is the last of the page before.
   */
  List<InstanceInfo> instances(
      Optional<ExecutionStatus> status, Optional<String> name, Optional<String> after, int limit);

  /**
   * The instances of a name whose ids are between two texts, both left out, in the order of the ids
   * in the store, at most {@code limit}. No others are read.
   */
  List<InstanceInfo> instancesBetween(String after, String before, String name, int limit);

  /** The outcomes of those of the instances that have ended, by their ids. */
  Map<String, ExecutionOutcome> ended(Set<String> instanceIds);

  List<ExecutionInfo> executions(String instanceId);

  List<HistoryEvent> history(String instanceId, long executionId);

  List<String> children(String instanceId);

  ProviderMetrics metrics();

  /**
   * Begins the next execution of a failed instance with this message. Of several callers that know
   * of the same failed execution one succeeds.
   *
   * @param failedExecution its current execution; the message is for the one after it
   * @return whether that execution had failed and this call began the next one
   */
  boolean restart(String instanceId, long failedExecution, StartMessage message);

  /**
   * Deletes an instance with all its data; a running instance only if forced.
   *
   * @return whether it deleted the instance
   */
  boolean delete(String instanceId, boolean force);

  /**
   * Deletes past executions that ended so long ago, with their history; returns how many, at most
   * {@code limit}.
   */
  int pruneExecutions(Duration olderThan, int limit);

  /**
   * Deletes instances that ended so long ago with all their data, sub-workflows too (their results
   * are in the history of their parents); returns how many, at most {@code limit}.
   */
  int pruneInstances(Duration olderThan, int limit);

  /**
   * Deletes past executions and instances like {@link #pruneExecutions} and {@link
   * #pruneInstances}, and jobs that died longer ago, unless another node is doing so; returns how
   * many of all three, at most {@code limit} of each.
   */
  int pruneEnded(Duration olderThan, int limit);

  /**
   * Deletes the row of an instance that never began, which a message to an unknown instance has
   * created. Does nothing to an instance that has begun or is locked.
   */
  void delete(String instanceId);
}
