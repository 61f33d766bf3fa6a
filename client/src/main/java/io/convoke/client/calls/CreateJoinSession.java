package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import tools.jackson.databind.JsonNode;

/** Open a session at Janus. {@code POST /join/janus}. */
public final class CreateJoinSession extends ApiCall<JsonNode> {
  private CreateJoinSession(CallParts parts) {
    super(parts, AnswerType.json(JsonNode.class));
  }

  /** The call, with what it needs. */
  public static CreateJoinSession of(JsonNode body) {
    return new CreateJoinSession(
        CallParts.once("POST", "/join/janus")
            .body(body));
  }

  /** {@code X-Join-Token}: What the link has after its #. */
  public CreateJoinSession xJoinToken(String xJoinToken) {
    return new CreateJoinSession(parts().header("X-Join-Token", xJoinToken));
  }
}
