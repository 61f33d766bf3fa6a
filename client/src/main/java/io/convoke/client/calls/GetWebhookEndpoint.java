package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.WebhookEndpointView;

/** One webhook endpoint. {@code GET /webhook-endpoints/{id}}. */
public final class GetWebhookEndpoint extends ApiCall<WebhookEndpointView> {
  private GetWebhookEndpoint(CallParts parts) {
    super(parts, AnswerType.json(WebhookEndpointView.class));
  }

  /** The call, with what it needs. */
  public static GetWebhookEndpoint of(long id) {
    return new GetWebhookEndpoint(
        CallParts.repeatable("GET", "/webhook-endpoints/{id}")
            .path("id", id));
  }
}
