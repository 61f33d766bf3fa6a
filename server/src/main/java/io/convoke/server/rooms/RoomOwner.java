package io.convoke.server.rooms;

/** To whom a room is assigned. */
sealed interface RoomOwner {
  /** A user alone. */
  record RoomUser(long id) implements RoomOwner {}

  /** Each member of a team. */
  record RoomTeam(long id) implements RoomOwner {}

  long id();

  /** In words. */
  default String kind() {
    return switch (this) {
      case RoomUser _ -> "user";
      case RoomTeam _ -> "team";
    };
  }
}
