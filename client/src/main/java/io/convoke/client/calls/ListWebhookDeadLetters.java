package io.convoke.client.calls;

import io.convoke.client.CallParts;
import io.convoke.client.ListCall;
import io.convoke.client.types.DeadLetterRow;

/** Webhooks of platforms that no meeting could use, latest first. {@code GET /dead-letters/webhooks}. */
public final class ListWebhookDeadLetters extends ListCall<DeadLetterRow> {
  private ListWebhookDeadLetters(CallParts parts) {
    super(parts, DeadLetterRow.class);
  }

  /** The call, with what it needs. */
  public static ListWebhookDeadLetters of() {
    return new ListWebhookDeadLetters(
        CallParts.repeatable("GET", "/dead-letters/webhooks"));
  }

  /** {@code limit}: Entries of a page at most. */
  public ListWebhookDeadLetters limit(long limit) {
    return new ListWebhookDeadLetters(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public ListWebhookDeadLetters cursor(String cursor) {
    return new ListWebhookDeadLetters(parts().query("cursor", cursor));
  }
}
