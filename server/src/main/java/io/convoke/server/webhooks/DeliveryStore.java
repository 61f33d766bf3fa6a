package io.convoke.server.webhooks;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.JournalEvent;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.Tx;
import io.convoke.server.http.Problem;
import io.convoke.server.meetings.MeetingTranscriptStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** The SQL of deliveries: created once per event and endpoint, sent in order within a stream. */
final class DeliveryStore {
  private static final Duration KEPT = Duration.ofDays(7);
  private static final int PRUNED_AT_ONCE = 1000;

  private final Database database;
  private final Journal journal;

  DeliveryStore(Database database, Journal journal) {
    this.database = database;
    this.journal = journal;
  }

  /** The active endpoints. */
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
   * Creates deliveries of events for an endpoint and queues their streams; skips events that
   * another node has routed. Returns the number of deliveries; empty if the endpoint is not active,
   * and then its position stays.
   */
  static Optional<Integer> route(Tx tx, long endpointId, List<JournalEvent> events, long upTo) {
    Optional<Long> routed =
        tx.sql(
                "select routed_seq from webhook_endpoints where id = ? and state = 'active' for"
                    + " update")
            .with(endpointId)
            .first(resultRow -> resultRow.longAt("routed_seq"));
    if (routed.isEmpty()) {
      return Optional.empty();
    }
    if (routed.get() >= upTo) {
      return Optional.of(0);
    }
    List<JournalEvent> fresh =
        events.stream().filter(journalEvent -> journalEvent.seq() > routed.get()).toList();
    insert(tx, endpointId, asStored(tx, fresh), upTo);
    return Optional.of(fresh.size());
  }

  /**
   * The events with their words as the journal has them now: a node may read them from its memory
   * after their recording was deleted. A deletion that comes later waits for these rows, and finds
   * the deliveries then.
   */
  private static List<JournalEvent> asStored(Tx tx, List<JournalEvent> events) {
    Long[] worded =
        events.stream()
            .filter(journalEvent -> journalEvent.type().equals(MeetingTranscriptStore.TYPE))
            .map(JournalEvent::seq)
            .toArray(Long[]::new);
    if (worded.length == 0) {
      return events;
    }
    Map<Long, JsonNode> stored = new HashMap<>();
    tx.sql("select seq, data from events where seq = any(?) order by seq for share")
        .with((Object) worded)
        .list(resultRow -> Map.entry(resultRow.longAt("seq"), resultRow.json("data")))
        .forEach(row -> stored.put(row.getKey(), row.getValue()));
    return events.stream()
        .map(
            journalEvent ->
                new JournalEvent(
                    journalEvent.seq(),
                    journalEvent.type(),
                    journalEvent.subject(),
                    journalEvent.userId(),
                    journalEvent.at(),
                    stored.getOrDefault(journalEvent.seq(), journalEvent.data())))
        .toList();
  }

  /**
   * Saves the position of active endpoints that want no event up to it. Leaves out rows that
   * another transaction holds: a node that starts then reads more for them.
   */
  void skip(List<Long> endpointIds, long upTo) {
    database.run(
        tx ->
            tx.run(
                List.of(
                    tx.sql(
                            """
                            update webhook_endpoints set routed_seq = ? where id in (
                              select id from webhook_endpoints
                              where id = any(?) and state = 'active' and routed_seq < ?
                              order by id for update skip locked)
                            """)
                        .with(upTo, endpointIds.toArray(Long[]::new), upTo))));
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

  /** Records a success; the stream moves behind the others of its lane. */
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

  /** Records a failure; the stream waits until the retry. */
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

  /** Pauses an endpoint; its pending deliveries stay, and later events stay in the journal. */
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
   * Resumes a paused endpoint; pending deliveries are sent first. The journal event wakes the
   * routers.
   *
   * @throws Problem 409 if it was not paused
   */
  void resume(long endpointId) {
    database.run(
        tx -> {
          WebhookEndpoint resumed =
              tx.sql(
                      """
                      update webhook_endpoints set state = 'active', reason = null
                      where id = ? and state = 'paused' returning\s"""
                          + WebhookEndpoint.COLUMNS)
                  .with(endpointId)
                  .first(WebhookEndpoint::of)
                  .orElseThrow(
                      () ->
                          Problem.conflict(
                              "webhook_endpoint_active",
                              "The endpoint is not paused.",
                              Map.of("state", "active")));
          journal.append(tx, List.of(resumed.event("resumed")));
          LaneStore.resume(tx, endpointId);
        });
  }

  /** Restarts the 72 hours of the retry schedule, of pending deliveries that have begun it. */
  static Query restarted(Tx tx, List<Long> endpointIds) {
    return tx.sql(
            """
            update webhook_deliveries
            set first_tried_at = null, attempts = 0, next_try_at = null
            where endpoint_id = any(?) and state = 'pending' and attempts > 0
            """)
        .with((Object) endpointIds.toArray(Long[]::new));
  }

  /**
   * Queues a message again, after the pending ones of its stream.
   *
   * @throws Problem 404 if there is none
   */
  void resend(long endpointId, long deliveryId) {
    database.run(
        tx -> {
          // As when it was routed: a deletion of its words finds the copy, or it copies none.
          tx.run(
              List.of(
                  tx.sql(
                          """
                          select 1 from events where seq = (
                            select split_part(message_id, '_', 3)::bigint from webhook_deliveries
                            where endpoint_id = ? and id = ? and type = ?)
                          for share
                          """)
                      .with(endpointId, deliveryId, MeetingTranscriptStore.TYPE)));
          String subject =
              tx.sql(
                      """
                      insert into webhook_deliveries (endpoint_id, subject, message_id, type, body)
                      select endpoint_id, subject, message_id, type, body from webhook_deliveries
                      where endpoint_id = (
                          select id from webhook_endpoints where id = ? for key share)
                        and id = ? and state = 'delivered' returning subject
                      """)
                  .with(endpointId, deliveryId)
                  .first(resultRow -> resultRow.text("subject"))
                  .orElseThrow(() -> Problem.notFound("delivered message"));
          LaneStore.add(tx, endpointId, List.of(subject));
        });
  }

  /**
   * Queues a test message. It is delivered like any message, in its own stream, so that the log
   * shows the outcome.
   *
   * @throws Problem 409 if the endpoint is paused
   */
  void test(long endpointId) {
    database.run(
        tx -> {
          String subject =
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
                      from webhook_endpoints where id = ? and state = 'active' for key share
                      returning subject
                      """)
                  .with(endpointId)
                  .first(resultRow -> resultRow.text("subject"))
                  .orElseThrow(
                      () ->
                          Problem.conflict(
                              "webhook_endpoint_paused",
                              "The endpoint is paused; resume it first.",
                              Map.of("state", "paused")));
          LaneStore.add(tx, endpointId, List.of(subject));
        });
  }

  /**
   * Deletes old deliveries, and those of removed endpoints, in batches; returns their number. A
   * removed endpoint is found by its lanes, which are deleted last.
   */
  int prune() {
    int old =
        deleteInBatches(
            """
            delete from webhook_deliveries where id in (
              select id from webhook_deliveries
              where state = 'delivered' and delivered_at < now() - ? * interval '1 ms'
              limit ?)
            """,
            KEPT);
    Long[] removed = removed().toArray(Long[]::new);
    if (removed.length == 0) {
      return old;
    }
    int theirs =
        deleteInBatches(
            """
            delete from webhook_deliveries where id in (
              select id from webhook_deliveries where endpoint_id = any(?) limit ?)
            """,
            removed);
    int _ =
        deleteInBatches(
            """
            delete from webhook_streams where (endpoint_id, subject) in (
              select endpoint_id, subject from webhook_streams where endpoint_id = any(?) limit ?)
            """,
            removed);
    // Another node may still delete the same, and may stop before it is done.
    int _ =
        database.read(
            tx ->
                tx.sql(
                        """
                        delete from webhook_lanes l
                        where l.endpoint_id = any(?) and not exists (
                          select from webhook_deliveries d where d.endpoint_id = l.endpoint_id)
                          and not exists (
                          select from webhook_streams s where s.endpoint_id = l.endpoint_id)
                        """)
                    .with((Object) removed)
                    .update());
    return old + theirs;
  }

  /** The removed endpoints that have lanes. */
  private List<Long> removed() {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select distinct l.endpoint_id from webhook_lanes l
                    where not exists (select from webhook_endpoints e where e.id = l.endpoint_id)
                    """)
                .list(resultRow -> resultRow.longAt("endpoint_id")));
  }

  /** Runs a deletion of some rows, each time by itself, until it has deleted all. */
  private int deleteInBatches(String sql, Object which) {
    int all = 0;
    int deleted;
    do {
      deleted = database.read(tx -> tx.sql(sql).with(which, PRUNED_AT_ONCE).update());
      all += deleted;
    } while (deleted == PRUNED_AT_ONCE);
    return all;
  }

  /** The body in the format of Standard Webhooks, with additional members. */
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
