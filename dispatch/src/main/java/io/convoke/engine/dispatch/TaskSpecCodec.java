package io.convoke.engine.dispatch;

import io.convoke.engine.json.Json;
import tools.jackson.databind.node.ObjectNode;

/**
 * The value of a request key in Redis: the task id, {@code |}, and the spec as JSON. The Lua
 * scripts parse only the id.
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
