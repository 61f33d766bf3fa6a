package io.convoke.server.webhooks;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.JournalEvent;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.Tx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The SQL of deliveries: made of events once each, sent one after the other within a stream. */
final class DeliveryStore {
  private static final Duration KEPT = Duration.ofDays(7);

  private final Database database;
  private final Journal journal;

  DeliveryStore(Database database, Journal journal) {
    this.database = database;
    this.journal = journal;
  }

  /** Endpoints that deliveries are made for. */
  List<WebhookEndpoint> active() {
    return database.read(
        tx ->
            tx.sql(
                    "select "
                        + WebhookEndpoint.COLUMNS
                        + " from webhook_endpoints where state = 'active' order by id")
                .list(WebhookEndpoint::of));
  }

  /**
   * Makes deliveries of events that an endpoint wants and has their streams looked after; what
   * another node was quicker with is left out. Answers how many.
   */
  static int route(Tx tx, long endpointId, List<JournalEvent> events, long upTo) {
    Optional<Long> routed =
        tx.sql(
                "select routed_seq from webhook_endpoints where id = ? and state = 'active' for update")
            .with(endpointId)
            .first(resultRow -> resultRow.longAt("routed_seq"));
    if (routed.isEmpty() || routed.get() >= upTo) {
      return 0;
    }
    List<JournalEvent> fresh =
        events.stream().filter(journalEvent -> journalEvent.seq() > routed.get()).toList();
    insert(tx, endpointId, fresh, upTo);
    return fresh.size();
  }

  private static void insert(Tx tx, long endpointId, List<JournalEvent> events, long upTo) {
    tx.run(
        List.of(
            tx.sql(
                    """
                    insert into webhook_deliveries (endpoint_id, subject, message_id, type, body)
                    select ?, a.subject, a.message_id, a.type, a.body
                    from unnest(?::text[], ?::text[], ?::text[], ?::text[])
                      with ordinality as a(subject, message_id, type, body, n)
                    order by a.n
                    """)
                .with(
                    endpointId,
                    events.stream().map(JournalEvent::subject).toArray(String[]::new),
                    events.stream()
                        .map(journalEvent -> "msg_" + endpointId + "_" + journalEvent.seq())
                        .toArray(String[]::new),
                    events.stream().map(JournalEvent::type).toArray(String[]::new),
                    events.stream().map(DeliveryStore::body).toArray(String[]::new)),
            tx.sql("update webhook_endpoints set routed_seq = ? where id = ?")
                .with(upTo, endpointId)));
    if (!events.isEmpty()) {
      LaneStore.add(tx, endpointId, events.stream().map(JournalEvent::subject).toList());
    }
  }

  /** Notes an answer of success; the next message of the stream waits behind the lane's others. */
  void delivered(long endpointId, LaneStore.DueDelivery dueDelivery, int status) {
    database.run(
        tx -> {
          List<Query> queries = new ArrayList<>();
          queries.add(
              tx.sql(
                      """
                      update webhook_deliveries set state = 'delivered', attempts = attempts + 1,
                        first_tried_at = coalesce(first_tried_at, now()), last_tried_at = now(),
                        next_try_at = null, last_status = ?, last_error = null, delivered_at = now()
                      where id = ?
                      """)
                  .with(status, dueDelivery.id()));
          queries.addAll(LaneStore.sent(tx, endpointId, dueDelivery));
          tx.run(queries);
        });
  }

  /** Notes a failure; the stream waits until its message is tried again. */
  void failed(
      long endpointId,
      LaneStore.DueDelivery dueDelivery,
      Optional<Integer> status,
      String error,
      Optional<Duration> again) {
    database.run(
        tx ->
            tx.run(
                List.of(
                    tx.sql(
                            """
                            update webhook_deliveries set attempts = attempts + 1,
                              first_tried_at = coalesce(first_tried_at, now()),
                              last_tried_at = now(),
                              next_try_at = now() + ?::bigint * interval '1 ms', last_status = ?,
                              last_error = ?
                            where id = ? and state = 'pending'
                            """)
                        .with(again.map(Duration::toMillis), status, error, dueDelivery.id()),
                    LaneStore.dueAfter(tx, endpointId, dueDelivery, again.orElse(Duration.ZERO)))));
  }

  /** Pauses an endpoint; what waits for it keeps waiting, and what comes the journal keeps. */
  void pause(long endpointId, String reason) {
    database.run(
        tx ->
            tx.sql(
                    """
                    update webhook_endpoints set state = 'paused', reason = ?
                    where id = ? and state = 'active' returning\s"""
                        + WebhookEndpoint.COLUMNS)
                .with(reason, endpointId)
                .first(WebhookEndpoint::of)
                .ifPresent(endpoint -> journal.append(tx, List.of(endpoint.event("paused")))));
  }

  /**
   * Sets a paused endpoint going; what waited goes first. False if it was going. The journal's row
   * is what wakes the routers.
   */
  boolean resume(long endpointId) {
    return database.transaction(
        tx -> {
          Optional<WebhookEndpoint> resumed =
              tx.sql(
                      """
                      update webhook_endpoints set state = 'active', reason = null
                      where id = ? and state = 'paused' returning\s"""
                          + WebhookEndpoint.COLUMNS)
                  .with(endpointId)
                  .first(WebhookEndpoint::of);
          if (resumed.isEmpty()) {
            return false;
          }
          journal.append(tx, List.of(resumed.get().event("resumed")));
          // Their 72 hours begin anew.
          tx.run(
              List.of(
                  tx.sql(
                          """
                          update webhook_deliveries
                          set first_tried_at = null, attempts = 0, next_try_at = null
                          where endpoint_id = ? and state = 'pending'
                          """)
                      .with(endpointId)));
          LaneStore.resume(tx, endpointId);
          return true;
        });
  }

  /** Sends a message once more, after what waits in its stream; false if there is none. */
  boolean resend(long endpointId, long deliveryId) {
    return database.transaction(
        tx -> {
          Optional<String> subject =
              tx.sql(
                      """
                      insert into webhook_deliveries (endpoint_id, subject, message_id, type, body)
                      select endpoint_id, subject, message_id, type, body from webhook_deliveries
                      where endpoint_id = ? and id = ? and state = 'delivered' returning subject
                      """)
                  .with(endpointId, deliveryId)
                  .first(resultRow -> resultRow.text("subject"));
          subject.ifPresent(it -> LaneStore.add(tx, endpointId, List.of(it)));
          return subject.isPresent();
        });
  }

  /**
   * Has a message sent to an endpoint that says only that it is a test; false if it is paused. It
   * goes the way of all messages, in a stream of its own, so that the log shows what came of it.
   */
  boolean test(long endpointId) {
    return database.transaction(
        tx -> {
          Optional<String> subject =
              tx.sql(
                      """
                      insert into webhook_deliveries (endpoint_id, subject, message_id, type, body)
                      select id, 'webhook_endpoint:' || id, 'msg_' || id || '_' || gen_random_uuid(),
                        'webhook_endpoint.test',
                        json_build_object('type', 'webhook_endpoint.test',
                          'timestamp', to_char(now() at time zone 'utc',
                            'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                          'data', json_build_object('id', id),
                          'subject', 'webhook_endpoint:' || id)::text
                      from webhook_endpoints where id = ? and state = 'active' returning subject
                      """)
                  .with(endpointId)
                  .first(resultRow -> resultRow.text("subject"));
          subject.ifPresent(it -> LaneStore.add(tx, endpointId, List.of(it)));
          return subject.isPresent();
        });
  }

  /** Forgets what was delivered long ago; answers how much. */
  int prune() {
    return database.read(
        tx ->
            tx.sql(
                    """
                    delete from webhook_deliveries where id in (
                      select id from webhook_deliveries
                      where state = 'delivered' and delivered_at < now() - ? * interval '1 ms'
                      limit 1000)
                    """)
                .with(KEPT)
                .update());
  }

  /** The message, as Standard Webhooks has it, with what is ours beside it. */
  private static String body(JournalEvent journalEvent) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("type", journalEvent.type());
    body.put("timestamp", Json.time(journalEvent.at()));
    body.put("data", journalEvent.data());
    body.put("subject", journalEvent.subject());
    body.put("seq", journalEvent.seq());
    return Json.write(body);
  }
}
