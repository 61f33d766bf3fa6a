package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import tools.jackson.databind.JsonNode;

/** Receive events from the sample event handler of Janus. {@code POST /webhooks/janus}. */
public final class ReceiveJanusEvents extends ApiCall<JsonNode> {
  private ReceiveJanusEvents(CallParts parts) {
    super(parts, AnswerType.nothing());
  }

  /** The call, with what it needs. */
  public static ReceiveJanusEvents of(JsonNode body) {
    return new ReceiveJanusEvents(
        CallParts.once("POST", "/webhooks/janus")
            .body(body));
  }

  /** {@code Authorization}: Basic authentication, with the secret as its password. */
  public ReceiveJanusEvents authorization(String authorization) {
    return new ReceiveJanusEvents(parts().header("Authorization", authorization));
  }
}
