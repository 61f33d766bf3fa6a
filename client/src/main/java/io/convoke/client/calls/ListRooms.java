package io.convoke.client.calls;

import io.convoke.client.CallParts;
import io.convoke.client.ListCall;
import io.convoke.client.types.RoomClaim;

/** Rooms that belong to a user or a team, by platform and name. {@code GET /rooms}. */
public final class ListRooms extends ListCall<RoomClaim> {
  private ListRooms(CallParts parts) {
    super(parts, RoomClaim.class);
  }

  /** The call, with what it needs. */
  public static ListRooms of() {
    return new ListRooms(
        CallParts.repeatable("GET", "/rooms"));
  }

  /** {@code limit}: Entries of a page at most. */
  public ListRooms limit(long limit) {
    return new ListRooms(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public ListRooms cursor(String cursor) {
    return new ListRooms(parts().query("cursor", cursor));
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public ListRooms userId(long userId) {
    return new ListRooms(parts().query("user_id", userId));
  }
}
