package io.convoke.engine.dispatch;

import io.convoke.engine.json.Json;
import tools.jackson.databind.node.ObjectNode;

/**
 * A task on its way in. What it says is written by its own caller: whoever sends many at once is
 * the thread that hears all answers.
 *
 * @param alone whether Redis is to see that its channel has no other open task
 */
record Arrival(NewTask task, ObjectNode spec, String json, boolean alone) {
  static Arrival of(NewTask task) {
    return of(task, task.unique());
  }

  /** A task whose channel the ledger keeps free. */
  static Arrival ledgered(NewTask task) {
    return of(task, false);
  }

  private static Arrival of(NewTask task, boolean alone) {
    ObjectNode spec = task.spec();
    return new Arrival(task, spec, Json.write(spec), alone);
  }
}
