package io.convoke.engine.dispatch;

import io.convoke.engine.json.Json;
import tools.jackson.databind.node.ObjectNode;

/**
 * A task on its way in. What it says is written by its own caller: whoever sends many at once is
 * the thread that hears all answers.
 */
record Arrival(NewTask task, ObjectNode spec, String json) {
  static Arrival of(NewTask task) {
    ObjectNode spec = task.spec();
    return new Arrival(task, spec, Json.write(spec));
  }
}
