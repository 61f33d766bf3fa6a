package io.convoke.chaos.durable.rules;

import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * One line of an execution's history.
 *
 * @param written when its turn's transaction began, by the database's clock
 * @param order what an answer answers: the event id of an order
 * @param attempt which attempt of an activity succeeded, by its own account
 * @param at when it happened, as it says itself
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

  /** The execution, for words and for grouping. */
  String run() {
    return instance + "/" + execution;
  }

  /** The key that the activity of an order has in each of its attempts. */
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
            order.map(number -> " of order " + number).orElse(""),
            attempt.map(number -> " by attempt " + number).orElse(""),
            fireAt.map(due -> " due " + due).orElse(""));
  }
}
