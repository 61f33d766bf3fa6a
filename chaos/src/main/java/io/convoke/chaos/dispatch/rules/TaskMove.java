package io.convoke.chaos.dispatch.rules;

import java.time.Instant;
import java.util.Optional;

/**
 * A move of a task as the journal tells it.
 *
 * @param type of the event, {@code task.processing} and so on
 * @param pod who holds the task then
 * @param at when it happened, by the clock of Redis
 * @param pendingAt of a task that waits: from when pods may take it, later than {@code at} before
 *     another try
 */
public record TaskMove(
    long seq,
    String type,
    String id,
    String state,
    int attempt,
    Optional<String> pod,
    String error,
    Instant at,
    Optional<Instant> pendingAt) {
  static final String STOPPING = "task.stopping";

  boolean terminal() {
    return TaskRow.terminal(state);
  }

  /** Whether an attempt begins with it. */
  boolean claim() {
    return state.equals("PROCESSING") && !type.equals(STOPPING);
  }
}
