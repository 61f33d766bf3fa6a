package io.convoke.server.platform;

import java.util.Optional;

/**
 * A place where meetings happen. Calls block the calling virtual thread for a bounded time and
 * report failure as a value.
 */
public interface PlatformClient {

  /** The name under which meetings of this platform are stored, as in {@code meetings.platform}. */
  String name();

  /** Who is in one room. */
  RoomPresence presence(String room);

  /** Who is in any room of the account, in one call. */
  DomainPresence presence();

  /** Whether the newest meeting in a room goes on. */
  RoomActivity activity(String room);

  /** Where a person or a bot enters the room, if the platform tells. */
  Optional<String> roomUrl(String room);
}
