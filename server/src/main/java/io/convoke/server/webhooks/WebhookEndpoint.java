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
 * Where webhooks go.
 *
 * @param userId whose events; everybody's if empty
 * @param types which; all if empty
 * @param sealed the secret, encrypted
 * @param reason why it is paused
 * @param routedSeq how far of the journal was made into deliveries
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
  /** How the types of events about endpoints begin. */
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

  /** What happened to the endpoint, for the journal; routers look again when they see it. */
  NewJournalEvent event(String what) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("id", id);
    data.put("state", state);
    data.put("reason", reason.orElse(""));
    return NewJournalEvent.of(EVENTS + what, "webhook_endpoint:" + id, userId, data);
  }

  boolean active() {
    return state.equals("active");
  }

  /** Events about endpoints themselves go only to who asks for them by name. */
  boolean wants(JournalEvent journalEvent) {
    boolean named = types.contains(journalEvent.type());
    return (named || (types.isEmpty() && !journalEvent.type().startsWith(EVENTS)))
        && (userId.isEmpty() || userId.equals(journalEvent.userId()));
  }
}
