package io.convoke.server.platform;

import java.time.Instant;

/** State of the latest meeting in a room, by the platform's meeting history. */
public sealed interface RoomActivity {

  /** The room has participants, or had some a moment ago. */
  record RoomMeetingOngoing(Instant startedAt) implements RoomActivity {}

  /**
   * The platform closed the meeting.
   *
   * @param session the platform's id of it
   */
  record RoomMeetingEnded(String session, Instant startedAt, Instant endedAt)
      implements RoomActivity {}

  /**
   * The room has no participants, and the platform keeps no history that tells since when.
   *
   * @param at when the platform was asked
   */
  record RoomEmpty(Instant at) implements RoomActivity {}

  /** No meeting was ever held in the room. */
  record RoomNeverUsed() implements RoomActivity {}

  /** The query failed. */
  record RoomActivityUnknown(PlatformError outage) implements RoomActivity {}
}
