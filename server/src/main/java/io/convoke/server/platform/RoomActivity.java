package io.convoke.server.platform;

import java.time.Instant;

/** Whether the newest meeting in a room goes on, by the platform's own record of meetings. */
public sealed interface RoomActivity {

  /** Somebody is, or a moment ago was, in the room. */
  record RoomMeetingOngoing(Instant startedAt) implements RoomActivity {}

  /** The platform closed the meeting. */
  record RoomMeetingEnded(Instant startedAt, Instant endedAt) implements RoomActivity {}

  /** No meeting was ever held in the room. */
  record RoomNeverUsed() implements RoomActivity {}

  /** The platform did not tell. */
  record RoomActivityUnknown(PlatformError outage) implements RoomActivity {}
}
