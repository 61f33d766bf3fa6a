package io.convoke.agent.room;

import tools.jackson.databind.JsonNode;

/**
 * One event of a simulated room: {@code snapshot}, {@code participant-joined}, {@code caption}, ...
 */
public record RoomEvent(String name, JsonNode data) {
  /** The platform sent nothing for too long; generated locally. */
  public static final String PLATFORM_GONE = "platform-gone";

  /** The room no longer knows this session; generated locally. */
  public static final String SESSION_GONE = "session-gone";

  /** Wakes the reader; generated locally. */
  public static final String WOKEN = "woken";

  public String text(String field) {
    return data.path(field).asString("");
  }
}
