package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import tools.jackson.databind.JsonNode;

/** Receive an event from Daily. {@code POST /webhooks/daily}. */
public final class ReceiveDailyWebhook extends ApiCall<JsonNode> {
  private ReceiveDailyWebhook(CallParts parts) {
    super(parts, AnswerType.nothing());
  }

  /** The call, with what it needs. */
  public static ReceiveDailyWebhook of(JsonNode body) {
    return new ReceiveDailyWebhook(
        CallParts.once("POST", "/webhooks/daily")
            .body(body));
  }

  /** {@code X-Webhook-Signature}: The signature of timestamp and body. */
  public ReceiveDailyWebhook xWebhookSignature(String xWebhookSignature) {
    return new ReceiveDailyWebhook(parts().header("X-Webhook-Signature", xWebhookSignature));
  }

  /** {@code X-Webhook-Timestamp}: When Daily sent it, as the signature has it. */
  public ReceiveDailyWebhook xWebhookTimestamp(String xWebhookTimestamp) {
    return new ReceiveDailyWebhook(parts().header("X-Webhook-Timestamp", xWebhookTimestamp));
  }
}
