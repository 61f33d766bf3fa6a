package io.convoke.server.webhooks;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The SQL of lanes. A stream is the queue of deliveries for one endpoint and subject; the streams
 * of an endpoint are hashed by subject into {@value #LANES} lanes, and at most one workflow, the
 * holder, sends the messages of a lane. So an endpoint with any backlog uses few workflows.
 *
 * <p>A lane's row is locked before its streams are changed or read, in the order of the lanes. So a
 * holder cannot release the lane while another transaction adds a stream.
 */
final class LaneStore {
  static final int LANES = 8;

  /** Maximum lanes woken in one transaction. */
  private static final int WOKEN_MAX = 100;

  /** Whether endpoint {@code e} gets messages; SQL. */
  private static final String OPEN =
      """
      (e.state = 'active' and not exists (
        select from users u where u.id = e.user_id and u.disabled_at is not null))
      """;

  private final Database database;

  LaneStore(Database database) {
    this.database = database;
  }

  /** The oldest message of the next due stream. */
  record DueDelivery(
      int lane,
      String subject,
      long id,
      String messageId,
      String type,
      String body,
      int attempts,
      Duration sinceFirst) {}

  /** The next step of a lane's holder. */
  sealed interface LaneStep {
    record DeliveryDue(WebhookEndpoint endpoint, DueDelivery due) implements LaneStep {}

    /**
     * Nothing is due and the lane was released; the next stream is due after {@code wakesAfter}.
     */
    record NothingDue(Optional<Duration> wakesAfter) implements LaneStep {}
  }

  /** The next due stream, and its oldest message if it has any. */
  private record LaneHead(String subject, Optional<DueDelivery> due) {}

  private record LaneKey(long endpointId, int lane) {}

  static int of(String subject) {
    return Math.floorMod(subject.hashCode(), LANES);
  }

  /** Adds the streams of these subjects and starts a workflow in each lane that has none. */
  static void add(Tx tx, long endpointId, Collection<String> subjects) {
    List<String> ordered = subjects.stream().distinct().sorted().toList();
    start(tx, endpointId, ordered.stream().map(LaneStore::of).distinct().sorted().toList());
    tx.run(
        List.of(
            tx.sql(
                    """
                    insert into webhook_streams (endpoint_id, subject, lane, running)
                    select ?, a.subject, a.lane, true
                    from unnest(?::text[], ?::integer[]) as a(subject, lane)
                    on conflict (endpoint_id, subject) do nothing
                    """)
                .with(
                    endpointId,
                    ordered.toArray(String[]::new),
                    ordered.stream().map(LaneStore::of).toArray(Integer[]::new))));
  }

  /**
   * Makes the streams of an endpoint due, restarts their retry schedule, and starts a workflow in
   * each of their lanes.
   */
  static void resume(Tx tx, long endpointId) {
    tx.run(List.of(DeliveryStore.restarted(tx, List.of(endpointId))));
    List<Integer> lanes =
        tx.sql("select distinct lane from webhook_streams where endpoint_id = ? order by lane")
            .with(endpointId)
            .list(resultRow -> resultRow.intAt("lane"));
    start(tx, endpointId, lanes);
    tx.run(List.of(madeDue(tx, List.of(endpointId))));
  }

  /**
   * Makes what waits for a user's endpoints due, in the transaction that enables the user, and
   * restarts its retry schedule. The lock of each lane makes it wait for a holder that has found
   * the user disabled and is about to release the lane. So lanes without a row get one: another
   * transaction may be adding it, with a holder.
   */
  static void wake(Tx tx, long userId) {
    List<Long> endpointIds =
        tx.sql("select id from webhook_endpoints where user_id = ?")
            .with(userId)
            .list(resultRow -> resultRow.longAt("id"));
    tx.run(
        List.of(
            DeliveryStore.restarted(tx, endpointIds),
            tx.sql(
                    """
                    insert into webhook_lanes (endpoint_id, lane, wakes_at)
                    select e.id, n, now()
                    from unnest(?::bigint[]) as e(id), generate_series(0, ?::integer) as n
                    order by e.id, n
                    on conflict (endpoint_id, lane) do update set wakes_at = excluded.wakes_at
                    """)
                .with(endpointIds.toArray(Long[]::new), LANES - 1),
            madeDue(tx, endpointIds)));
  }

  /** Makes streams that wait for a retry due; the caller has locked their lanes. */
  private static Query madeDue(Tx tx, List<Long> endpointIds) {
    return tx.sql(
            """
            update webhook_streams set due_at = now()
            where endpoint_id = any(?) and due_at > now()
            """)
        .with((Object) endpointIds.toArray(Long[]::new));
  }

  /** Locks these lanes, which are in order, and starts a workflow in each that has no holder. */
  static void start(Tx tx, long endpointId, List<Integer> lanes) {
    List<String> ids =
        lanes.stream()
            .map(lane -> "webhook-" + endpointId + "-" + lane + "-" + UUID.randomUUID())
            .toList();
    List<String> holders =
        tx.sql(
                """
                insert into webhook_lanes as l (endpoint_id, lane, holder)
                select ?, a.lane, a.holder from unnest(?::integer[], ?::text[]) as a(lane, holder)
                order by a.lane
                on conflict (endpoint_id, lane) do update
                set holder = coalesce(l.holder, excluded.holder), wakes_at = null
                returning holder
                """)
            .with(endpointId, lanes.toArray(Integer[]::new), ids.toArray(String[]::new))
            .list(resultRow -> resultRow.text("holder"));
    List<Query> starts = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      if (holders.contains(ids.get(i))) {
        LaneWorkflow.Lane lane = new LaneWorkflow.Lane(endpointId, lanes.get(i));
        boolean _ = starts.add(Durable.starting(tx, LaneWorkflow.NAME, ids.get(i), lane));
      }
    }
    tx.run(starts);
  }

  /**
   * The next delivery of a lane; {@link LaneStep.NothingDue} if the caller is not the holder, the
   * endpoint is paused or its user is disabled.
   */
  LaneStep next(LaneWorkflow.Lane lane, String holder) {
    return database.transaction(tx -> next(tx, lane, holder));
  }

  private static LaneStep next(Tx tx, LaneWorkflow.Lane lane, String holder) {
    Optional<WebhookEndpoint> held =
        tx.sql(
                """
                select e.* from webhook_lanes l join webhook_endpoints e on e.id = l.endpoint_id
                where l.endpoint_id = ? and l.lane = ? and l.holder = ? for update of l
                """)
            .with(lane.endpointId(), lane.lane(), holder)
            .first(WebhookEndpoint::of);
    if (held.isEmpty()) {
      return new LaneStep.NothingDue(Optional.empty());
    }
    Optional<LaneHead> head = head(tx, lane);
    while (head.isPresent() && head.get().due().isEmpty()) {
      tx.run(
          List.of(
              tx.sql("delete from webhook_streams where endpoint_id = ? and subject = ?")
                  .with(lane.endpointId(), head.get().subject())));
      head = head(tx, lane);
    }
    return head.flatMap(LaneHead::due)
        .<LaneStep>map(dueDelivery -> new LaneStep.DeliveryDue(held.get(), dueDelivery))
        .orElseGet(() -> leave(tx, lane));
  }

  /** Moves a stream behind the others of its lane, or removes it if it is empty. */
  static List<Query> sent(Tx tx, long endpointId, DueDelivery dueDelivery) {
    return List.of(
        tx.sql("select 1 from webhook_lanes where endpoint_id = ? and lane = ? for update")
            .with(endpointId, dueDelivery.lane()),
        tx.sql(
                """
                delete from webhook_streams s where endpoint_id = ? and subject = ?
                  and not exists (
                    select from webhook_deliveries w
                    where w.endpoint_id = s.endpoint_id and w.subject = s.subject
                      and w.state = 'pending')
                """)
            .with(endpointId, dueDelivery.subject()),
        dueAfter(tx, endpointId, dueDelivery, Duration.ZERO));
  }

  /** Postpones a stream. */
  static Query dueAfter(Tx tx, long endpointId, DueDelivery dueDelivery, Duration pause) {
    return tx.sql(
            """
            update webhook_streams set due_at = clock_timestamp() + ?::bigint * interval '1 ms'
            where endpoint_id = ? and subject = ?
            """)
        .with(pause.toMillis(), endpointId, dueDelivery.subject());
  }

  /**
   * The stream that has been due longest, for round-robin within the lane; empty if its endpoint
   * gets nothing now.
   */
  private static Optional<LaneHead> head(Tx tx, LaneWorkflow.Lane lane) {
    return tx.sql(
            """
            select s.lane, s.subject, d.id, d.message_id, d.type, d.body, d.attempts,
              coalesce(extract(epoch from now() - d.first_tried_at), 0)::double precision as since
            from (
                select endpoint_id, lane, subject from webhook_streams
                where endpoint_id = ? and lane = ? and due_at <= clock_timestamp()
                  and exists (select from webhook_endpoints e where e.id = ? and OPEN)
                order by due_at limit 1) s
              left join lateral (
                select * from webhook_deliveries w
                where w.endpoint_id = s.endpoint_id and w.subject = s.subject
                  and w.state = 'pending'
                order by w.id limit 1) d on true
            """
                .replace("OPEN", OPEN))
        .with(lane.endpointId(), lane.lane(), lane.endpointId())
        .first(
            resultRow ->
                new LaneHead(
                    resultRow.text("subject"),
                    resultRow.maybeLong("id").map(id -> due(resultRow, id))));
  }

  private static DueDelivery due(ResultRow resultRow, long id) {
    return new DueDelivery(
        resultRow.intAt("lane"),
        resultRow.text("subject"),
        id,
        resultRow.text("message_id"),
        resultRow.text("type"),
        resultRow.text("body"),
        resultRow.intAt("attempts"),
        Duration.ofMillis(Math.round(resultRow.doubleAt("since") * 1000)));
  }

  private static LaneStep leave(Tx tx, LaneWorkflow.Lane lane) {
    return new LaneStep.NothingDue(
        tx.sql(
                """
                update webhook_lanes l set holder = null,
                  wakes_at = case
                    when exists (select from webhook_endpoints e where e.id = l.endpoint_id and OPEN)
                    then (
                      select min(s.due_at) from webhook_streams s
                      where s.endpoint_id = l.endpoint_id and s.lane = l.lane)
                  end
                where l.endpoint_id = ? and l.lane = ?
                returning ceil(extract(epoch from wakes_at - clock_timestamp()) * 1000)::bigint
                  as millis
                """
                    .replace("OPEN", OPEN))
            .with(lane.endpointId(), lane.lane())
            .one(resultRow -> resultRow.maybeLong("millis"))
            .map(millis -> Duration.ofMillis(Math.max(0, millis))));
  }

  /**
   * What the lanes wait for.
   *
   * @param next the time until the next lane is due, zero if one is; empty if none waits
   * @param held whether workflows hold lanes; false if that was not asked
   */
  record WaitingLanes(Optional<Duration> next, boolean held) {}

  /**
   * Starts lanes that are due; returns what the others wait for. While none is due this is one
   * statement.
   *
   * @param asksHeld whether to look for held lanes, which no index finds
   */
  WaitingLanes wakeDue(boolean asksHeld) {
    WaitingLanes waiting = database.read(tx -> waiting(tx, asksHeld));
    if (waiting.next().filter(Duration::isZero).isEmpty()) {
      return waiting;
    }
    return database.transaction(
        tx -> {
          List<LaneKey> due =
              tx.sql(
                      """
                      select endpoint_id, lane from webhook_lanes
                      where wakes_at <= clock_timestamp() order by wakes_at limit ?
                      for update skip locked
                      """)
                  .with(WOKEN_MAX)
                  .list(LaneStore::key);
          startAll(tx, due);
          return waiting(tx, asksHeld);
        });
  }

  private static WaitingLanes waiting(Tx tx, boolean asksHeld) {
    return tx.sql(
            """
            select ceil(extract(epoch from min(wakes_at) - clock_timestamp()) * 1000)::bigint
                as millis,
              ?::boolean and exists (select from webhook_lanes where holder is not null) as held
            from webhook_lanes where wakes_at is not null
            """)
        .with(asksHeld)
        .one(
            resultRow ->
                new WaitingLanes(
                    resultRow
                        .maybeLong("millis")
                        .map(millis -> Duration.ofMillis(Math.max(0, millis))),
                    resultRow.booleanAt("held")));
  }

  /**
   * Releases lanes whose holder was cancelled or has failed, and makes them due. A holder and the
   * message that starts it are written in one transaction, so a holder that neither waits nor runs
   * has ended. A lane that gets another holder meanwhile is left alone. The comparisons with arrays
   * keep Postgres from reading all instances.
   */
  void releaseEnded() {
    database.run(
        tx ->
            tx.run(
                List.of(
                    tx.sql(
                        """
                        with ended as materialized (
                          select l.endpoint_id, l.lane, l.holder
                          from webhook_lanes l join webhook_endpoints e on e.id = l.endpoint_id
                          where l.holder is not null
                            and not exists (
                              select from orchestrator_queue q
                              where q.instance_id = any (array[l.holder]))
                            and not exists (
                              select from instances i
                                left join executions x on x.instance_id = i.instance_id
                                  and x.execution_id = i.current_execution_id
                              where i.instance_id = any (array[l.holder])
                                and coalesce(x.status, 'Running')
                                  not in ('Completed', 'Failed'))),
                        released as (
                          select l.endpoint_id, l.lane
                          from webhook_lanes l join ended n on n.endpoint_id = l.endpoint_id
                            and n.lane = l.lane and n.holder = l.holder
                          order by l.endpoint_id, l.lane
                          for update of l skip locked)
                        update webhook_lanes l set holder = null, wakes_at = now()
                        from released r
                        where l.endpoint_id = r.endpoint_id and l.lane = r.lane
                        """))));
  }

  /**
   * Resumes endpoints with a lane that has streams but neither holder nor due time: a node of an
   * older release added them, or such a node or an operator by SQL enabled the user.
   */
  void startForgotten() {
    List<Long> endpointIds =
        database.read(
            tx ->
                tx.sql(
                        """
                        select distinct s.endpoint_id
                        from webhook_streams s
                          join webhook_endpoints e on e.id = s.endpoint_id and OPEN
                          left join webhook_lanes l
                            on l.endpoint_id = s.endpoint_id and l.lane = s.lane
                        where l.holder is null and l.wakes_at is null
                        order by s.endpoint_id
                        """
                            .replace("OPEN", OPEN))
                    .list(resultRow -> resultRow.longAt("endpoint_id")));
    // Each by itself: a backlog may be large, and senders wait for the locks of its lanes.
    endpointIds.forEach(endpointId -> database.run(tx -> resume(tx, endpointId)));
  }

  private static LaneKey key(ResultRow resultRow) {
    return new LaneKey(resultRow.longAt("endpoint_id"), resultRow.intAt("lane"));
  }

  private static void startAll(Tx tx, List<LaneKey> keys) {
    keys.stream()
        .map(LaneKey::endpointId)
        .distinct()
        .sorted()
        .forEach(
            endpoint ->
                start(
                    tx,
                    endpoint,
                    keys.stream()
                        .filter(laneKey -> laneKey.endpointId() == endpoint)
                        .map(LaneKey::lane)
                        .sorted()
                        .toList()));
  }
}
