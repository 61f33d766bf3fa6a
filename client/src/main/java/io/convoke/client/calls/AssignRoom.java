package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.RoomClaim;

/** Assign a room, or the rooms of a prefix, to a user or a team, or move it. {@code PUT /rooms/{platform}/{room}}. */
public final class AssignRoom extends ApiCall<RoomClaim> {
  private AssignRoom(CallParts parts) {
    super(parts, AnswerType.json(RoomClaim.class));
  }

  /** The call, with what it needs. */
  public static AssignRoom of(String platform, String room) {
    return new AssignRoom(
        CallParts.repeatable("PUT", "/rooms/{platform}/{room}")
            .path("platform", platform)
            .path("room", room)
            .body());
  }

  /** {@code user_id}. */
  public AssignRoom userId(long userId) {
    return new AssignRoom(parts().member("user_id", userId));
  }

  /** {@code team_id}. */
  public AssignRoom teamId(long teamId) {
    return new AssignRoom(parts().member("team_id", teamId));
  }

  /** {@code track}. */
  public AssignRoom track(boolean track) {
    return new AssignRoom(parts().member("track", track));
  }
}
