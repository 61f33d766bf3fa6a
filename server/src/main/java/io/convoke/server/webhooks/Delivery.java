package io.convoke.server.webhooks;

import io.convoke.engine.sql.Row;
import java.time.Instant;
import java.util.Optional;

/** One message on its way to one endpoint, as the log shows it. */
record Delivery(
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

  static Delivery of(Row row) {
    return new Delivery(
        row.longAt("id"),
        row.text("message_id"),
        row.text("type"),
        row.text("subject"),
        row.text("state"),
        row.intAt("attempts"),
        row.instant("created_at"),
        row.maybeInstant("last_tried_at"),
        row.maybeInstant("next_try_at"),
        row.maybeInt("last_status"),
        row.maybeText("last_error"),
        row.maybeInstant("delivered_at"));
  }
}
