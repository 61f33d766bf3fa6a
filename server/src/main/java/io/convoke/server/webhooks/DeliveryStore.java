package io.convoke.server.webhooks;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.journal.Event;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.Tx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The SQL of deliveries: made of events once each, sent one after the other within their stream.
 * Whoever looks after a stream holds its row while it looks for more, so that none is left behind
 * by one who just went.
 */
final class DeliveryStore {
  private static final Duration KEPT = Duration.ofDays(7);

  private final Database database;
  private final Journal journal;

  DeliveryStore(Database database, Journal journal) {
    this.database = database;
    this.journal = journal;
  }

  /** What is to be sent next in a stream. */
  record Due(
      long id, String messageId, String type, String body, int attempts, Duration sinceFirst) {}

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
  static int route(Tx tx, long endpointId, List<Event> events, long upTo) {
    Optional<Long> routed =
        tx.sql(
                "select routed_seq from webhook_endpoints where id = ? and state = 'active' for update")
            .with(endpointId)
            .first(row -> row.longAt("routed_seq"));
    if (routed.isEmpty() || routed.get() >= upTo) {
      return 0;
    }
    List<Event> fresh = events.stream().filter(event -> event.seq() > routed.get()).toList();
    insert(tx, endpointId, fresh, upTo);
    return fresh.size();
  }

  private static void insert(Tx tx, long endpointId, List<Event> events, long upTo) {
    List<Query> queries = new ArrayList<>();
    Set<String> subjects = new LinkedHashSet<>();
    for (Event event : events) {
      queries.add(
          tx.sql(
                  """
                  insert into webhook_deliveries (endpoint_id, subject, message_id, type, body)
                  values (?, ?, ?, ?, ?)
                  """)
              .with(
                  endpointId,
                  event.subject(),
                  "msg_" + endpointId + "_" + event.seq(),
                  event.type(),
                  body(event)));
      subjects.add(event.subject());
    }
    queries.add(
        tx.sql("update webhook_endpoints set routed_seq = ? where id = ?").with(upTo, endpointId));
    tx.run(queries);
    subjects.forEach(subject -> look(tx, endpointId, subject));
  }

  /** Has a workflow look after a stream, unless one does. */
  static void look(Tx tx, long endpointId, String subject) {
    boolean idle =
        tx.sql(
                """
                insert into webhook_streams as s (endpoint_id, subject, running) values (?, ?, true)
                on conflict (endpoint_id, subject) do update set running = true where not s.running
                returning true as idle
                """)
            .with(endpointId, subject)
            .first(row -> row.booleanAt("idle"))
            .orElse(false);
    if (idle) {
      long first =
          tx.sql(
                  """
                  select coalesce(min(id), 0) as first from webhook_deliveries
                  where endpoint_id = ? and subject = ? and state = 'pending'
                  """)
              .with(endpointId, subject)
              .one(row -> row.longAt("first"));
      StreamWorkflow.Stream stream = new StreamWorkflow.Stream(endpointId, subject);
      String run = "webhook-" + endpointId + "-" + first + "-" + java.util.UUID.randomUUID();
      tx.run(List.of(Durable.starting(tx, StreamWorkflow.NAME, run, stream)));
    }
  }

  /**
   * The next delivery of a stream whose endpoint is active; if there is none, nobody looks after
   * the stream any more.
   */
  Optional<Due> next(long endpointId, String subject) {
    return database.transaction(
        tx -> {
          boolean held =
              tx.sql(
                      """
                      select running from webhook_streams
                      where endpoint_id = ? and subject = ? for update
                      """)
                  .with(endpointId, subject)
                  .first(row -> row.booleanAt("running"))
                  .orElse(false);
          boolean active =
              held
                  && EndpointStore.find(tx, endpointId).filter(WebhookEndpoint::active).isPresent();
          Optional<Due> due = active ? due(tx, endpointId, subject) : Optional.empty();
          if (held && due.isEmpty()) {
            tx.run(
                List.of(
                    tx.sql("delete from webhook_streams where endpoint_id = ? and subject = ?")
                        .with(endpointId, subject)));
          }
          return due;
        });
  }

  private static Optional<Due> due(Tx tx, long endpointId, String subject) {
    return tx.sql(
            """
            select id, message_id, type, body, attempts,
              coalesce(extract(epoch from now() - first_tried_at), 0)::double precision as since
            from webhook_deliveries
            where endpoint_id = ? and subject = ? and state = 'pending' order by id limit 1
            """)
        .with(endpointId, subject)
        .first(
            row ->
                new Due(
                    row.longAt("id"),
                    row.text("message_id"),
                    row.text("type"),
                    row.text("body"),
                    row.intAt("attempts"),
                    Duration.ofMillis(Math.round(row.doubleAt("since") * 1000))));
  }

  void delivered(long id, int status) {
    int _ =
        database.read(
            tx ->
                tx.sql(
                        """
                        update webhook_deliveries set state = 'delivered', attempts = attempts + 1,
                          first_tried_at = coalesce(first_tried_at, now()), last_tried_at = now(),
                          next_try_at = null, last_status = ?, last_error = null,
                          delivered_at = now()
                        where id = ?
                        """)
                    .with(status, id)
                    .update());
  }

  void failed(long id, Optional<Integer> status, String error, Optional<Duration> again) {
    int _ =
        database.read(
            tx ->
                tx.sql(
                        """
                        update webhook_deliveries set attempts = attempts + 1,
                          first_tried_at = coalesce(first_tried_at, now()), last_tried_at = now(),
                          next_try_at = now() + ?::bigint * interval '1 ms', last_status = ?,
                          last_error = ?
                        where id = ? and state = 'pending'
                        """)
                    .with(again.map(Duration::toMillis), status, error, id)
                    .update());
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
          List<String> subjects =
              tx.sql(
                      """
                      with again as (
                        update webhook_deliveries set first_tried_at = null, attempts = 0
                        where endpoint_id = ? and state = 'pending' returning subject)
                      select distinct subject from again
                      """)
                  .with(endpointId)
                  .list(row -> row.text("subject"));
          subjects.forEach(subject -> look(tx, endpointId, subject));
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
                  .first(row -> row.text("subject"));
          subject.ifPresent(it -> look(tx, endpointId, it));
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
                  .first(row -> row.text("subject"));
          subject.ifPresent(it -> look(tx, endpointId, it));
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
  private static String body(Event event) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("type", event.type());
    body.put("timestamp", Json.time(event.at()));
    body.put("data", event.data());
    body.put("subject", event.subject());
    body.put("seq", event.seq());
    return Json.write(body);
  }
}
