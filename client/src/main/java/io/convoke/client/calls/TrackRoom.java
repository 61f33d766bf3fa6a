package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.RoomClaim;

/** Track every visit to a room, or to the rooms of a prefix, or no longer. {@code PATCH /rooms/{platform}/{room}}. */
public final class TrackRoom extends ApiCall<RoomClaim> {
  private TrackRoom(CallParts parts) {
    super(parts, AnswerType.json(RoomClaim.class));
  }

  /** The call, with what it needs. */
  public static TrackRoom of(String platform, String room, boolean track) {
    return new TrackRoom(
        CallParts.repeatable("PATCH", "/rooms/{platform}/{room}")
            .path("platform", platform)
            .path("room", room)
            .member("track", track)
            .body());
  }
}
