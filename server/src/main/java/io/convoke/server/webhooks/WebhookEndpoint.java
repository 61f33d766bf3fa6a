package io.convoke.server.webhooks;

import io.convoke.engine.journal.Event;
import io.convoke.engine.journal.NewEvent;
import io.convoke.engine.sql.Row;
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

  static WebhookEndpoint of(Row row) {
    return new WebhookEndpoint(
        row.longAt("id"),
        row.maybeLong("user_id"),
        row.text("url"),
        row.texts("types"),
        row.text("secret"),
        row.text("state"),
        row.maybeText("reason"),
        row.longAt("routed_seq"),
        row.instant("created_at"));
  }

  /** What happened to the endpoint, for the journal; routers look again when they see it. */
  NewEvent event(String what) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("id", id);
    data.put("state", state);
    data.put("reason", reason.orElse(""));
    return NewEvent.of(EVENTS + what, "webhook_endpoint:" + id, userId, data);
  }

  boolean active() {
    return state.equals("active");
  }

  /** Events about endpoints themselves go only to who asks for them by name. */
  boolean wants(Event event) {
    boolean named = types.contains(event.type());
    return (named || (types.isEmpty() && !event.type().startsWith(EVENTS)))
        && (userId.isEmpty() || userId.equals(event.userId()));
  }
}
