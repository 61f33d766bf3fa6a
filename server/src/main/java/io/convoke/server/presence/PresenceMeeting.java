package io.convoke.server.presence;

import java.util.List;
import java.util.Set;

/** The columns of {@code meetings} that presence uses. */
record PresenceMeeting(
    long id, long userId, String platform, String room, String status, boolean tracked) {

  /**
   * Statuses in which participants may be in the room: from the launch of a bot on, or while
   * tracked.
   */
  static final Set<String> LIVE = Set.of("starting", "active", "stopping");

  /** {@link #LIVE} as SQL. */
  static final String LIVE_SQL = "('starting', 'active', 'stopping')";

  /** The terminal statuses, as SQL. */
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
