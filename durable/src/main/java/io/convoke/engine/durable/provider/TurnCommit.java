package io.convoke.engine.durable.provider;

import java.util.List;
import java.util.Optional;

/**
 * The result of one turn of an instance, committed as a whole.
 *
 * @param executionId the execution of the history; a higher one than before begins it
 * @param identity on the first turn of an instance
 * @param history the new events
 * @param work the new work items
 * @param messages to itself (timers) or to other instances
 * @param cancelled activities of this execution whose work items are deleted, also while they run
 * @param outcome if the execution ended with this turn
 * @param customStatus the workflow's own status text, if it changed
 */
public record TurnCommit(
    long executionId,
    Optional<InstanceIdentity> identity,
    List<HistoryEvent> history,
    List<WorkMessage> work,
    List<InstanceMessage> messages,
    List<Long> cancelled,
    Optional<ExecutionOutcome> outcome,
    Optional<String> customStatus) {

  /** The immutable identity of an instance. */
  public record InstanceIdentity(String name, String version, Optional<String> parent) {}

  /** How an execution ended; the output is a result or an error message. */
  public record ExecutionOutcome(ExecutionStatus status, String output) {}

  /** A turn that only consumes its messages. */
  public static TurnCommit empty(long executionId) {
    return sending(executionId, List.of());
  }

  /** A turn that only consumes its messages and sends others. */
  public static TurnCommit sending(long executionId, List<InstanceMessage> messages) {
    return new TurnCommit(
        executionId,
        Optional.empty(),
        List.of(),
        List.of(),
        messages,
        List.of(),
        Optional.empty(),
        Optional.empty());
  }
}
