package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import tools.jackson.databind.JsonNode;

/** Join, publish, subscribe or leave; room, PIN and id come from the link. {@code POST /join/janus/{session}/{handle}}. */
public final class SendToJoinHandle extends ApiCall<JsonNode> {
  private SendToJoinHandle(CallParts parts) {
    super(parts, AnswerType.json(JsonNode.class));
  }

  /** The call, with what it needs. */
  public static SendToJoinHandle of(long session, long handle, JsonNode body) {
    return new SendToJoinHandle(
        CallParts.once("POST", "/join/janus/{session}/{handle}")
            .path("session", session)
            .path("handle", handle)
            .body(body));
  }

  /** {@code X-Join-Token}: What the link has after its #. */
  public SendToJoinHandle xJoinToken(String xJoinToken) {
    return new SendToJoinHandle(parts().header("X-Join-Token", xJoinToken));
  }
}
