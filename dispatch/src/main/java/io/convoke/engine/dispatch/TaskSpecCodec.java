package io.convoke.engine.dispatch;

import io.convoke.engine.json.Json;
import tools.jackson.databind.node.ObjectNode;

/**
 * What was asked for, as Redis keeps it under its request: the task's id, a stroke, and JSON. The
 * functions read the id alone.
 */
final class TaskSpecCodec {
  private static final char STROKE = '|';

  private TaskSpecCodec() {}

  static String kept(String id, String json) {
    return id + STROKE + json;
  }

  static ObjectNode read(String kept) {
    return (ObjectNode) Json.read(kept.substring(kept.indexOf(STROKE) + 1));
  }
}
