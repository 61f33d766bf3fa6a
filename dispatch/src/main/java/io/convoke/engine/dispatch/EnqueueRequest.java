package io.convoke.engine.dispatch;

import io.convoke.engine.json.Json;
import tools.jackson.databind.node.ObjectNode;

/**
 * A task to enqueue. The caller's thread serializes the spec, because the batching thread handles
 * the replies of all callers.
 *
 * @param alone whether Redis must check that the channel has no other open task
 * @param generation of the key space when the database accepted the task, or {@link #ANY}; in a
 *     later generation the rebuild has added the task already
 */
record EnqueueRequest(
    NewTask task, ObjectNode spec, String json, boolean alone, String generation) {
  private static final String ANY = "*";

  static EnqueueRequest of(NewTask task) {
    return of(task, task.unique(), ANY);
  }

  /** A task that the database accepted; the database also enforces the limit of its channel. */
  static EnqueueRequest accepted(NewTask task, String generation) {
    return of(task, false, generation);
  }

  private static EnqueueRequest of(NewTask task, boolean alone, String generation) {
    ObjectNode spec = task.spec();
    return new EnqueueRequest(task, spec, Json.write(spec), alone, generation);
  }
}
