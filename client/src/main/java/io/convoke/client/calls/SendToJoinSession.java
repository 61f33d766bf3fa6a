package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import tools.jackson.databind.JsonNode;

/** Attach a handle, keep the session alive, or end it. {@code POST /join/janus/{session}}. */
public final class SendToJoinSession extends ApiCall<JsonNode> {
  private SendToJoinSession(CallParts parts) {
    super(parts, AnswerType.json(JsonNode.class));
  }

  /** The call, with what it needs. */
  public static SendToJoinSession of(long session, JsonNode body) {
    return new SendToJoinSession(
        CallParts.once("POST", "/join/janus/{session}")
            .path("session", session)
            .body(body));
  }

  /** {@code X-Join-Token}: What the link has after its #. */
  public SendToJoinSession xJoinToken(String xJoinToken) {
    return new SendToJoinSession(parts().header("X-Join-Token", xJoinToken));
  }
}
