package io.convoke.agent;

import tools.jackson.databind.JsonNode;

/**
 * One event of a simulated room: {@code snapshot}, {@code participant-joined}, {@code caption}, ...
 */
record RoomEvent(String name, JsonNode data) {
  /** The platform has been silent for too long; made by ourselves. */
  static final String PLATFORM_GONE = "platform-gone";

  /** The room no longer knows our session; made by ourselves. */
  static final String SESSION_GONE = "session-gone";

  String text(String field) {
    return data.path(field).asString("");
  }
}
