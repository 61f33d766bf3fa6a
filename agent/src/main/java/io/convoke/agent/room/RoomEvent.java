package io.convoke.agent.room;

import tools.jackson.databind.JsonNode;

/**
 * One event of a simulated room: {@code snapshot}, {@code participant-joined}, {@code caption}, ...
 */
public record RoomEvent(String name, JsonNode data) {
  /** The platform has been silent for too long; made by ourselves. */
  public static final String PLATFORM_GONE = "platform-gone";

  /** The room no longer knows our session; made by ourselves. */
  public static final String SESSION_GONE = "session-gone";

  /** Somebody wants the reader to look up; made by ourselves. */
  public static final String WOKEN = "woken";

  public String text(String field) {
    return data.path(field).asString("");
  }
}
