package io.convoke.chaos.durable.rules;

import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * An event of an execution's history.
 *
 * @param written start time of its turn's transaction, by the database's clock
 * @param order event id of the command that it completes
 * @param attempt the attempt of an activity that succeeded, as reported by itself
 * @param at its own timestamp
 * @param fireAt when a timer is due
 */
public record EventRow(
    String instance,
    long execution,
    long id,
    String type,
    Instant written,
    Optional<Long> order,
    Optional<Integer> attempt,
    Optional<Instant> at,
    Optional<Instant> fireAt) {
  private static final Set<String> ENDS =
      Set.of("WorkflowCompleted", "WorkflowFailed", "ContinuedAsNew");
  private static final Set<String> ANSWERS = Set.of("Completed", "Failed", "TimerFired");

  boolean end() {
    return ENDS.contains(type);
  }

  boolean answer() {
    return ANSWERS.contains(type);
  }

  boolean activity() {
    return type.equals("ActivityScheduled");
  }

  boolean timer() {
    return type.equals("TimerCreated");
  }

  boolean child() {
    return type.equals("ChildScheduled");
  }

  /** Whether it starts a run of a schedule. */
  boolean scheduledRun() {
    return child() && instance.startsWith("schedule:");
  }

  /** Identifies the execution, for grouping and messages. */
  String run() {
    return instance + "/" + execution;
  }

  /** The key that an activity has in each of its attempts. */
  String key(long number) {
    return run() + "/" + number;
  }

  @Override
  public String toString() {
    return "%s/%d %s %s%s%s%s"
        .formatted(
            run(),
            id,
            type,
            written,
            order.map(number -> " of scheduled event " + number).orElse(""),
            attempt.map(number -> " by attempt " + number).orElse(""),
            fireAt.map(due -> " due " + due).orElse(""));
  }
}
