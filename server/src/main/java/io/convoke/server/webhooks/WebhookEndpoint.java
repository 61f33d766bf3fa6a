package io.convoke.server.webhooks;

import io.convoke.engine.journal.JournalEvent;
import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.sql.ResultRow;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A registered webhook endpoint.
 *
 * @param userId the user whose events it gets; all users' if empty
 * @param types event types; all if empty
 * @param sealed the secret, encrypted
 * @param reason reason of the pause
 * @param routedSeq position in the journal up to which deliveries were created
 */
record WebhookEndpoint(
    long id,
    Optional<Long> userId,
    String url,
    List<String> types,
    String sealed,
    String state,
    Optional<String> reason,
    long routedSeq,
    Instant createdAt) {
  /** Prefix of the types of events about endpoints. */
  static final String EVENTS = "webhook_endpoint.";

  static final String COLUMNS =
      "id, user_id, url, types, secret, state, reason, routed_seq, created_at";

  static WebhookEndpoint of(ResultRow resultRow) {
    return new WebhookEndpoint(
        resultRow.longAt("id"),
        resultRow.maybeLong("user_id"),
        resultRow.text("url"),
        resultRow.texts("types"),
        resultRow.text("secret"),
        resultRow.text("state"),
        resultRow.maybeText("reason"),
        resultRow.longAt("routed_seq"),
        resultRow.instant("created_at"));
  }

  /** The journal event of a change of the endpoint; routers reload their endpoints on it. */
  NewJournalEvent event(String what) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("id", id);
    data.put("state", state);
    data.put("reason", reason.orElse(""));
    return NewJournalEvent.of(EVENTS + what, "webhook_endpoint:" + id, userId, data);
  }

  /**
   * Whether the endpoint subscribes to the event; events about endpoints only if their type is
   * listed.
   */
  boolean wants(JournalEvent journalEvent) {
    boolean named = types.contains(journalEvent.type());
    return (named || (types.isEmpty() && !journalEvent.type().startsWith(EVENTS)))
        && (userId.isEmpty() || userId.equals(journalEvent.userId()));
  }
}
