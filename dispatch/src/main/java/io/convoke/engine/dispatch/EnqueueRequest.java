package io.convoke.engine.dispatch;

import io.convoke.engine.json.Json;
import tools.jackson.databind.node.ObjectNode;

/**
 * A task on its way in. What it says is written by its own caller: whoever sends many at once is
 * the thread that hears all answers.
 *
 * @param alone whether Redis is to see that its channel has no other open task
 * @param generation in which the ledger accepted it, or {@link #ANY}: in a later one somebody else
 *     has taken it in, and it may have ended
 */
record EnqueueRequest(
    NewTask task, ObjectNode spec, String json, boolean alone, String generation) {
  private static final String ANY = "*";

  static EnqueueRequest of(NewTask task) {
    return of(task, task.unique(), ANY);
  }

  /** A task that the ledger has accepted, and whose channel it keeps free. */
  static EnqueueRequest accepted(NewTask task, String generation) {
    return of(task, false, generation);
  }

  private static EnqueueRequest of(NewTask task, boolean alone, String generation) {
    ObjectNode spec = task.spec();
    return new EnqueueRequest(task, spec, Json.write(spec), alone, generation);
  }
}
