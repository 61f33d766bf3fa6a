package io.convoke.server.webhooks;

import io.convoke.engine.sql.ResultRow;
import java.time.Instant;
import java.util.Optional;

/** One message to one endpoint, as shown in the delivery log. */
record WebhookDelivery(
    long id,
    String messageId,
    String type,
    String subject,
    String state,
    int attempts,
    Instant createdAt,
    Optional<Instant> lastTriedAt,
    Optional<Instant> nextTryAt,
    Optional<Integer> lastStatus,
    Optional<String> lastError,
    Optional<Instant> deliveredAt) {
  static final String COLUMNS =
      """
      id, message_id, type, subject, state, attempts, created_at, last_tried_at, next_try_at,
      last_status, last_error, delivered_at
      """;

  static WebhookDelivery of(ResultRow resultRow) {
    return new WebhookDelivery(
        resultRow.longAt("id"),
        resultRow.text("message_id"),
        resultRow.text("type"),
        resultRow.text("subject"),
        resultRow.text("state"),
        resultRow.intAt("attempts"),
        resultRow.instant("created_at"),
        resultRow.maybeInstant("last_tried_at"),
        resultRow.maybeInstant("next_try_at"),
        resultRow.maybeInt("last_status"),
        resultRow.maybeText("last_error"),
        resultRow.maybeInstant("delivered_at"));
  }
}
