package io.convoke.server.presence;

import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Page;
import io.convoke.server.http.PageRequest;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.presence.WebhookDeadLetterStore.DeadLetterRow;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** {@code GET /dead-letters/webhooks}: authentic webhooks that no meeting could use. */
final class WebhookDeadLetters {

  /** Later than every row: the year 3000. */
  private static final long LAST_MICROS = micros(Instant.parse("3000-01-01T00:00:00Z"));

  private final WebhookDeadLetterStore deadLetterStore;

  WebhookDeadLetters(WebhookDeadLetterStore deadLetterStore) {
    this.deadLetterStore = deadLetterStore;
  }

  Endpoint endpoint() {
    return Endpoint.get("/dead-letters/webhooks")
        .id("listWebhookDeadLetters")
        .tag("webhooks")
        .summary("Webhooks of platforms that no meeting could use, latest first.")
        .description(
            "Events in a room without a live meeting are one row with their count; body is the"
                + " latest of them. Kept for 30 days after the last one.")
        .roles(CallerRole.ADMIN)
        .paged()
        .answers(200, Schema.slice(Schema.of(DeadLetterRow.class)))
        .handle(this::list);
  }

  private Response list(Request request) {
    PageRequest pageRequest = request.page();
    long[] before =
        pageRequest
            .cursor()
            .map(cursor -> Cursor.parseLongs(cursor, 2))
            .orElseGet(() -> new long[] {LAST_MICROS, Long.MAX_VALUE});
    return Response.ok(
        Page.of(
            deadLetterStore.list(before[0], before[1], pageRequest.limit() + 1),
            pageRequest,
            row -> Cursor.of(micros(row.lastAt()), row.id())));
  }

  private static long micros(Instant at) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, at);
  }
}
