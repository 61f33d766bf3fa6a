package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import tools.jackson.databind.JsonNode;

/** Wait for the events of a session, 25 s at most. {@code GET /join/janus/{session}}. */
public final class AwaitJoinEvents extends ApiCall<JsonNode> {
  private AwaitJoinEvents(CallParts parts) {
    super(parts, AnswerType.json(JsonNode.class));
  }

  /** The call, with what it needs. */
  public static AwaitJoinEvents of(long session) {
    return new AwaitJoinEvents(
        CallParts.repeatable("GET", "/join/janus/{session}")
            .path("session", session));
  }

  /** {@code X-Join-Token}: What the link has after its #. */
  public AwaitJoinEvents xJoinToken(String xJoinToken) {
    return new AwaitJoinEvents(parts().header("X-Join-Token", xJoinToken));
  }
}
