package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.WebhookEndpointView;

/** Resume a paused endpoint; pending deliveries are sent first. {@code POST /webhook-endpoints/{id}/resume}. */
public final class ResumeWebhookEndpoint extends ApiCall<WebhookEndpointView> {
  private ResumeWebhookEndpoint(CallParts parts) {
    super(parts, AnswerType.json(WebhookEndpointView.class));
  }

  /** The call, with what it needs. */
  public static ResumeWebhookEndpoint of(long id) {
    return new ResumeWebhookEndpoint(
        CallParts.once("POST", "/webhook-endpoints/{id}/resume")
            .path("id", id));
  }
}
