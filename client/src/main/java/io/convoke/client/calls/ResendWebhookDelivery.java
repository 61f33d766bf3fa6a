package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.WebhookEndpointView;

/** Send a delivered message again, with the same webhook-id. {@code POST /webhook-endpoints/{id}/deliveries/{delivery_id}/resend}. */
public final class ResendWebhookDelivery extends ApiCall<WebhookEndpointView> {
  private ResendWebhookDelivery(CallParts parts) {
    super(parts, AnswerType.json(WebhookEndpointView.class));
  }

  /** The call, with what it needs. */
  public static ResendWebhookDelivery of(long id, long deliveryId) {
    return new ResendWebhookDelivery(
        CallParts.once("POST", "/webhook-endpoints/{id}/deliveries/{delivery_id}/resend")
            .path("id", id)
            .path("delivery_id", deliveryId));
  }
}
