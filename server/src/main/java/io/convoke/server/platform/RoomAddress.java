package io.convoke.server.platform;

/** Where people and bots enter a room, by its platform. */
public sealed interface RoomAddress {
  /** The room's page. */
  record RoomPage(String url) implements RoomAddress {}

  /** There is no such room, or rooms have no pages there. */
  record NoRoomAddress() implements RoomAddress {}

  /** The query failed, and may succeed later. */
  record RoomAddressUnknown(PlatformError outage) implements RoomAddress {}

  static RoomAddress none() {
    return new NoRoomAddress();
  }
}
