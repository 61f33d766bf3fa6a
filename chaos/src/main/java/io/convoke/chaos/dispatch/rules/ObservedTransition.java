package io.convoke.chaos.dispatch.rules;

import java.time.Instant;
import java.util.Optional;

/**
 * A task's transition in the journal.
 *
 * @param type of the event, such as {@code task.processing}
 * @param pod the holder after it
 * @param at when it happened, by the clock of Redis
 * @param pendingAt of a task that waits: from when pods may take it, later than {@code at} before
 *     another try
 */
public record ObservedTransition(
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

  /** Whether it starts an attempt. */
  boolean claim() {
    return state.equals("PROCESSING") && !type.equals(STOPPING);
  }
}
