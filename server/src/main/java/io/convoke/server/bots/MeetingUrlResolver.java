package io.convoke.server.bots;

import io.convoke.server.platform.RoomAddress;

/** Looks up the URL of a meeting by its id at the platform. Called outside of any transaction. */
@FunctionalInterface
public interface MeetingUrlResolver {
  /** Where the meeting is joined. */
  RoomAddress of(String platform, String nativeMeetingId);
}
