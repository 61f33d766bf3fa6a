package io.convoke.client.calls;

import io.convoke.client.CallParts;
import io.convoke.client.ListCall;
import io.convoke.client.types.WebhookEndpointView;

/** Webhook endpoints, oldest first. {@code GET /webhook-endpoints}. */
public final class ListWebhookEndpoints extends ListCall<WebhookEndpointView> {
  private ListWebhookEndpoints(CallParts parts) {
    super(parts, WebhookEndpointView.class);
  }

  /** The call, with what it needs. */
  public static ListWebhookEndpoints of() {
    return new ListWebhookEndpoints(
        CallParts.repeatable("GET", "/webhook-endpoints"));
  }

  /** {@code limit}: Entries of a page at most. */
  public ListWebhookEndpoints limit(long limit) {
    return new ListWebhookEndpoints(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public ListWebhookEndpoints cursor(String cursor) {
    return new ListWebhookEndpoints(parts().query("cursor", cursor));
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public ListWebhookEndpoints userId(long userId) {
    return new ListWebhookEndpoints(parts().query("user_id", userId));
  }
}
