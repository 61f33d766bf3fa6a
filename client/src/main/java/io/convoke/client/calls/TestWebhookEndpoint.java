package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.WebhookEndpointView;

/** Send a message of type webhook_endpoint.test; the log shows the outcome. {@code POST /webhook-endpoints/{id}/test}. */
public final class TestWebhookEndpoint extends ApiCall<WebhookEndpointView> {
  private TestWebhookEndpoint(CallParts parts) {
    super(parts, AnswerType.json(WebhookEndpointView.class));
  }

  /** The call, with what it needs. */
  public static TestWebhookEndpoint of(long id) {
    return new TestWebhookEndpoint(
        CallParts.once("POST", "/webhook-endpoints/{id}/test")
            .path("id", id));
  }
}
