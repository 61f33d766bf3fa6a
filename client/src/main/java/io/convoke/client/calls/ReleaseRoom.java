package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import tools.jackson.databind.JsonNode;

/** Release a room, or the rooms of a prefix. {@code DELETE /rooms/{platform}/{room}}. */
public final class ReleaseRoom extends ApiCall<JsonNode> {
  private ReleaseRoom(CallParts parts) {
    super(parts, AnswerType.nothing());
  }

  /** The call, with what it needs. */
  public static ReleaseRoom of(String platform, String room) {
    return new ReleaseRoom(
        CallParts.repeatable("DELETE", "/rooms/{platform}/{room}")
            .path("platform", platform)
            .path("room", room));
  }
}
