package io.convoke.server.presence;

import java.util.List;
import java.util.Set;

/** What presence knows of a row of {@code meetings}. */
record PresenceMeeting(
    long id, long userId, String platform, String room, String status, boolean tracked) {

  /** Somebody may be in the room: from the launch of a bot on, or while the room is tracked. */
  static final Set<String> LIVE = Set.of("starting", "active", "stopping");

  /** {@link #LIVE} as SQL. */
  static final String LIVE_SQL = "('starting', 'active', 'stopping')";

  /** The end of every meeting, in SQL. */
  static final String TERMINAL_SQL = "('completed', 'failed', 'error')";

  private static final List<String> TERMINAL = List.of("completed", "failed", "error");

  boolean live() {
    return LIVE.contains(status);
  }

  boolean terminal() {
    return TERMINAL.contains(status);
  }

  RoomMap.RoomMapEntry entry() {
    return new RoomMap.RoomMapEntry(room, id);
  }
}
