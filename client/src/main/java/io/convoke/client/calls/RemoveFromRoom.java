package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import tools.jackson.databind.JsonNode;

/** Remove a participant, as a host. {@code POST /join/remove}. */
public final class RemoveFromRoom extends ApiCall<JsonNode> {
  private RemoveFromRoom(CallParts parts) {
    super(parts, AnswerType.nothing());
  }

  /** The call, with what it needs. */
  public static RemoveFromRoom of(String id) {
    return new RemoveFromRoom(
        CallParts.once("POST", "/join/remove")
            .member("id", id)
            .body());
  }

  /** {@code X-Join-Token}: What the link has after its #. */
  public RemoveFromRoom xJoinToken(String xJoinToken) {
    return new RemoveFromRoom(parts().header("X-Join-Token", xJoinToken));
  }
}
