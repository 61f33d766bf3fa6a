package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import tools.jackson.databind.JsonNode;

/** Delete a webhook endpoint with its pending deliveries. {@code DELETE /webhook-endpoints/{id}}. */
public final class DeleteWebhookEndpoint extends ApiCall<JsonNode> {
  private DeleteWebhookEndpoint(CallParts parts) {
    super(parts, AnswerType.nothing());
  }

  /** The call, with what it needs. */
  public static DeleteWebhookEndpoint of(long id) {
    return new DeleteWebhookEndpoint(
        CallParts.repeatable("DELETE", "/webhook-endpoints/{id}")
            .path("id", id));
  }
}
