package io.convoke.client.calls;

import io.convoke.client.CallParts;
import io.convoke.client.ListCall;
import io.convoke.client.types.WebhookDelivery;

/** Deliveries to an endpoint, sent and pending, newest first. {@code GET /webhook-endpoints/{id}/deliveries}. */
public final class ListWebhookDeliveries extends ListCall<WebhookDelivery> {
  private ListWebhookDeliveries(CallParts parts) {
    super(parts, WebhookDelivery.class);
  }

  /** The call, with what it needs. */
  public static ListWebhookDeliveries of(long id) {
    return new ListWebhookDeliveries(
        CallParts.repeatable("GET", "/webhook-endpoints/{id}/deliveries")
            .path("id", id));
  }

  /** {@code state}: Only deliveries in this state. */
  public ListWebhookDeliveries state(String state) {
    return new ListWebhookDeliveries(parts().query("state", state));
  }

  /** {@code limit}: Entries of a page at most. */
  public ListWebhookDeliveries limit(long limit) {
    return new ListWebhookDeliveries(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public ListWebhookDeliveries cursor(String cursor) {
    return new ListWebhookDeliveries(parts().query("cursor", cursor));
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public ListWebhookDeliveries userId(long userId) {
    return new ListWebhookDeliveries(parts().query("user_id", userId));
  }
}
