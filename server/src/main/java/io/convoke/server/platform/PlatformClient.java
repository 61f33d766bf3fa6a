package io.convoke.server.platform;

/**
 * Client of a meeting platform. Calls block the calling virtual thread for a bounded time and
 * report failure as a value.
 */
public interface PlatformClient {

  /** The name under which meetings of this platform are stored, as in {@code meetings.platform}. */
  String name();

  /** The participants of one room. */
  RoomPresence presence(String room);

  /** The participants of all rooms of the account, in one call. */
  DomainPresence presence();

  /** Whether the latest meeting in a room is still running. */
  RoomActivity activity(String room);

  /** Who attended a meeting session. */
  MeetingAttendance attendance(String session);

  /** Where people and bots enter the room. */
  RoomAddress roomAddress(String room);
}
