package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.InstanceStore.LockedMessage;
import io.convoke.engine.durable.postgres.QueueClaimer.ClaimRequest;
import io.convoke.engine.durable.postgres.QueueClaimer.ClaimedItem;
import io.convoke.engine.durable.postgres.QueueClaimer.ClaimedItems;
import io.convoke.engine.durable.postgres.QueueClaimer.Handoff;
import io.convoke.engine.durable.postgres.QueueClaimer.InsertResult;
import io.convoke.engine.durable.postgres.QueueCommits.AckResult;
import io.convoke.engine.durable.postgres.QueueCommits.LockAck;
import io.convoke.engine.durable.postgres.QueueCommits.LockChange;
import io.convoke.engine.durable.postgres.QueueCommits.LockRef;
import io.convoke.engine.durable.postgres.QueueCommits.ReleaseResult;
import io.convoke.engine.durable.postgres.QueueSnapshot.QueueKind;
import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.sql.BatchResults;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The statements of {@code worker_queue}. The key of a lock is the id of the row. */
final class WorkItemStore
    implements QueueClaimer.ClaimStatements<WorkItem>,
        QueueCommits.QueueStatements<
            WorkItem, WorkMessage, Optional<InstanceMessage>, OrchestrationItem> {
  /** The id of no row, for lock tokens that this store did not make. */
  private static final long NO_ID = -1;

  private final Database database;
  private final Database claiming;
  private final QueueNotifier notifier;

  /**
   * The statements on two pools.
   *
   * @param claiming the pool whose commits do not wait for the disk
   */
  WorkItemStore(Database database, Database claiming, QueueNotifier notifier) {
    this.database = database;
    this.claiming = claiming;
    this.notifier = notifier;
  }

  /**
   * Acks no item, on two connections, so that the first real acks find their statements planned.
   */
  void warmUp() {
    AckResult<OrchestrationItem> _ =
        database.read(
            tx -> {
              AckResult<OrchestrationItem> _ =
                  database.read(other -> ackAndSend(other, List.of(), Handoff.NONE));
              return removed(tx, List.of());
            });
  }

  @Override
  public ClaimedItems<WorkItem> claim(ClaimRequest claimRequest) {
    List<ClaimedItem<WorkItem>> items = claiming.read(tx -> claim(tx, claimRequest));
    return new ClaimedItems<>(items, items.size() < claimRequest.limit(), false);
  }

  @Override
  public Optional<Instant> releaseClaimed(List<WorkItem> items) {
    List<LockChange> changes =
        items.stream()
            .flatMap(item -> LockRef.of(item.lockToken()).stream())
            .map(ref -> new LockChange(ref, Optional.empty(), true))
            .toList();
    return claiming.read(tx -> release(tx, changes));
  }

  @Override
  public ReleaseResult release(List<LockChange> changes) {
    Optional<Instant> earliest = database.read(tx -> release(tx, changes));
    return new ReleaseResult(earliest.isPresent(), earliest);
  }

  @Override
  public int claimable(WorkMessage message) {
    return message.limit().isEmpty() ? 1 : 0;
  }

  @Override
  public InsertResult<WorkItem> insert(List<WorkMessage> messages, Handoff handoff) {
    List<WorkMessage> unlimited = ConcurrencyLimits.without(messages);
    if (unlimited.size() == messages.size()) {
      return notifier.insert(
          new WakeTarget.WholeQueue(QueueKind.WORKER),
          tx -> insert(tx, messages, handoff),
          batchResults -> inserted(batchResults, handoff));
    }
    InsertResult<WorkItem> inserted =
        database.transaction(
            tx -> {
              InsertResult<WorkItem> first =
                  tx.queryTogether(
                      List.of(insert(tx, unlimited, handoff)),
                      batchResults -> inserted(batchResults, handoff));
              tx.run(ConcurrencyLimits.inserting(tx, ConcurrencyLimits.with(messages)));
              return first;
            });
    inserted.earliest().ifPresent(at -> notifier.wrote(QueueKind.WORKER, at));
    return inserted;
  }

  @Override
  public int claimableAfter(Optional<InstanceMessage> completion) {
    return completion.isPresent() ? 1 : 0;
  }

  @Override
  public AckResult<OrchestrationItem> ack(
      List<LockAck<Optional<InstanceMessage>>> acks, Handoff handoff) {
    boolean completes = acks.stream().anyMatch(ack -> ack.commit().isPresent());
    return database.read(
        tx ->
            completes
                ? ackAndSend(tx, acks, handoff)
                : removed(tx, acks.stream().map(LockAck::ref).toList()));
  }

  @Override
  public Set<LockRef> renew(List<LockChange> changes) {
    return database.read(tx -> renew(tx, changes));
  }

  static List<ClaimedItem<WorkItem>> claim(Tx tx, ClaimRequest claimRequest) {
    return tx.sql(
            """
            with picked as materialized (
              select id from worker_queue
              where pool = ? and visible_at >= ? and visible_at <= now() + ?::float8 * interval '1 millisecond'
                and (lock_token is null or locked_until <= now())
              order by visible_at limit ?
              for update skip locked)
            update worker_queue q
            set lock_token = ?, attempt_count = attempt_count + 1,
                locked_until = clock_timestamp() + ?::float8 * interval '1 millisecond'
            from picked where q.id = any (array[picked.id])
            returning q.id, q.instance_id, q.execution_id, q.activity_id, q.work_item,
                      q.visible_at, q.attempt_count, clock_timestamp() as now
            """)
        .with(
            claimRequest.pool(),
            claimRequest.fromParameter(),
            claimRequest.grace(),
            claimRequest.limit(),
            claimRequest.token(),
            claimRequest.lock())
        .list(row -> claimed(row, claimRequest.token()));
  }

  /**
   * Queues items. Of those that are visible at once, as many as the handoff allows are locked for
   * this node.
   */
  private static Query insert(Tx tx, List<WorkMessage> messages, Handoff handoff) {
    return tx.sql(INSERT).with(values(messages, handoff));
  }

  /** The parameters of {@link #ITEMS}, in their order. */
  static Object[] values(List<WorkMessage> messages, Handoff handoff) {
    return new Object[] {
      handoff.token(),
      handoff.lock(),
      messages.stream().map(WorkMessage::instanceId).toArray(String[]::new),
      messages.stream().map(WorkMessage::executionId).toArray(Long[]::new),
      messages.stream().map(WorkMessage::activityId).toArray(Long[]::new),
      messages.stream().map(WorkMessage::item).toArray(String[]::new),
      instants(messages.stream().map(WorkMessage::visibleAt).toList()),
      handed(messages, handoff),
      messages.stream().map(WorkMessage::pool).toArray(String[]::new)
    };
  }

  /** Inserts items, some of them locked, as a part of statements that return the rows. */
  static final String ITEMS =
      """
                  insert into worker_queue
                    (instance_id, execution_id, activity_id, work_item, visible_at, lock_token,
                     locked_until, attempt_count, pool)
                  select m.instance_id, m.execution_id, m.activity_id, m.work_item,
                         coalesce(m.visible_at, now()),
                         case when m.handed then ?::text end,
                         case when m.handed
                           then clock_timestamp() + ?::float8 * interval '1 millisecond' end,
                         m.handed::integer, m.pool
                  from unnest(
                      ?::text[], ?::bigint[], ?::bigint[], ?::text[], ?::timestamptz[], ?::boolean[],
                      ?::text[])
                    as m(instance_id, execution_id, activity_id, work_item, visible_at, handed, pool)
                  returning id, instance_id, execution_id, activity_id, work_item, visible_at,
                            lock_token, attempt_count
      """;

  private static final String INSERT =
      """
      with added as (ITEMS)
      select v.earliest, v.notified, clock_timestamp() as now, a.id, a.instance_id,
             a.execution_id, a.activity_id, a.work_item, a.visible_at, a.attempt_count
      from (
          select min(visible_at) as earliest, VISIBLE as notified
          from added where lock_token is null) v
        left join added a on a.lock_token is not null
      """
          .replace("ITEMS", ITEMS)
          .replace("VISIBLE", NewWorkNotifier.visible("min(visible_at)"));

  /**
   * Which messages the insert locks for this node: the first that are visible at once and in the
   * default pool, whose dispatchers wait for them.
   */
  private static Boolean[] handed(List<WorkMessage> messages, Handoff handoff) {
    Boolean[] handed = new Boolean[messages.size()];
    int left = handoff.count();
    for (int i = 0; i < handed.length; i++) {
      WorkMessage message = messages.get(i);
      handed[i] =
          left > 0
              && message.visibleAt().isEmpty()
              && message.pool().equals(WorkMessage.DEFAULT_POOL);
      left -= handed[i] ? 1 : 0;
    }
    return handed;
  }

  /** The earliest unlocked item, and an item that was locked at once, if any. */
  record InsertedWorkItem(Optional<Instant> earliest, Optional<ClaimedItem<WorkItem>> handed) {
    static InsertedWorkItem of(ResultRow row, Handoff handoff) {
      return new InsertedWorkItem(
          row.maybeInstant("earliest"),
          row.maybeLong("id").map(_ -> claimed(row, handoff.token())));
    }

    static InsertResult<WorkItem> result(List<InsertedWorkItem> rows) {
      return new InsertResult<>(
          rows.getFirst().earliest, rows.stream().flatMap(row -> row.handed.stream()).toList());
    }
  }

  private static InsertResult<WorkItem> inserted(BatchResults batchResults, Handoff handoff) {
    return InsertedWorkItem.result(batchResults.list(row -> InsertedWorkItem.of(row, handoff)));
  }

  /** Deletes items that are still held; their instances receive no message. */
  private static AckResult<OrchestrationItem> removed(Tx tx, List<LockRef> refs) {
    return new AckResult<>(remove(tx, refs), InsertResult.none(), Optional.empty());
  }

  /** Deletes the items that are still held, and returns which. */
  static Set<LockRef> remove(Tx tx, List<LockRef> refs) {
    return new HashSet<>(
        tx.sql(
                """
                delete from worker_queue q
                using unnest(?::bigint[], ?::text[]) as a(id, token)
                where q.id = any (array[a.id]) and q.lock_token = a.token
                  and q.locked_until > clock_timestamp()
                returning q.id, a.token
                """)
            .with(ids(refs), InstanceStore.claims(refs))
            .list(WorkItemStore::ref));
  }

  private sealed interface AckRow {
    static AckRow of(ResultRow row) {
      return switch (row.text("kind")) {
        case "gone" -> new DeletedRow(ref(row));
        case "handed" -> new HandedRow(LockedMessage.of(row));
        default -> new EarliestRow(row.maybeInstant("visible_at"));
      };
    }
  }

  private record DeletedRow(LockRef ref) implements AckRow {}

  private record HandedRow(LockedMessage message) implements AckRow {}

  private record EarliestRow(Optional<Instant> visibleAt) implements AckRow {}

  /**
   * Deletes the items that are still held and sends their completions to the instances, in one
   * statement that commits by itself.
   *
   * <p>Instances that are free may be locked for this node's dispatchers in the same statement, but
   * only those whose row is not locked: a turn locks its instance and then deletes work items, this
   * statement locks in the opposite order, and so must not wait for an instance.
   */
  static AckResult<OrchestrationItem> ackAndSend(
      Tx tx, List<LockAck<Optional<InstanceMessage>>> acks, Handoff handoff) {
    List<LockRef> refs = acks.stream().map(LockAck::ref).toList();
    List<AckRow> rows =
        tx.sql(
                """
                with gone as (
                  delete from worker_queue q
                  using unnest(?::bigint[], ?::text[], ?::text[], ?::text[])
                    as a(id, token, instance_id, item)
                  where q.id = any (array[a.id]) and q.lock_token = a.token
                    and q.locked_until > clock_timestamp()
                  returning a.id, a.token, a.instance_id, a.item),
                notified as materialized (select distinct instance_id from gone where item is not null),
                free as materialized (
                  select i.instance_id from notified t
                    join instances i on i.instance_id = any (array[t.instance_id])
                  where i.lock_token is null
                  limit ? for update of i skip locked),
                locked as (
                  update instances i
                  set lock_token = ?, turn = i.turn + 1,
                      locked_until = clock_timestamp() + ?::float8 * interval '1 millisecond'
                  from free where i.instance_id = any (array[free.instance_id])
                  returning i.instance_id, i.turn, i.current_execution_id, i.created_at,
                            i.lock_token, i.locked_until),
                message as (
                  insert into orchestrator_queue
                    (instance_id, work_item, lock_token, locked_until, attempt_count)
                  select g.instance_id, g.item, l.lock_token, l.locked_until,
                         (l.lock_token is not null)::integer
                  from gone g left join locked l on l.instance_id = g.instance_id
                  where g.item is not null order by g.id
                  returning id, instance_id, work_item, visible_at, attempt_count, lock_token)
                select 'gone' as kind, g.id, g.token, null as instance_id, null as turn,
                       null as current_execution_id, null::timestamptz as created_at,
                       null as work_item, null::timestamptz as visible_at, 0 as attempt_count,
                       clock_timestamp() as now
                from gone g
                union all
                select 'handed', m.id, null, m.instance_id, l.turn, l.current_execution_id,
                       l.created_at, m.work_item, m.visible_at, m.attempt_count, clock_timestamp()
                from message m join locked l on l.instance_id = m.instance_id
                union all
                select 'visible', 0, null, null, 0, 0, null, null, min(m.visible_at), 0,
                       clock_timestamp()
                from message m where m.lock_token is null
                """)
            .with(
                ids(refs),
                InstanceStore.claims(refs),
                acks.stream()
                    .map(ack -> ack.commit().map(InstanceMessage::instanceId).orElse(null))
                    .toArray(String[]::new),
                acks.stream()
                    .map(ack -> ack.commit().map(InstanceMessage::item).orElse(null))
                    .toArray(String[]::new),
                handoff.count(),
                handoff.token(),
                handoff.lock())
            .list(AckRow::of);
    Set<LockRef> held = new HashSet<>();
    List<LockedMessage> handed = new ArrayList<>();
    Optional<Instant> earliest = Optional.empty();
    for (AckRow row : rows) {
      switch (row) {
        case DeletedRow deleted -> {
          boolean _ = held.add(deleted.ref);
        }
        case HandedRow locked -> {
          boolean _ = handed.add(locked.message);
        }
        case EarliestRow first -> earliest = first.visibleAt;
      }
    }
    InsertResult<OrchestrationItem> inserted =
        new InsertResult<>(earliest, LockedMessage.items(handed, handoff.token()));
    return new AckResult<>(held, inserted, Optional.empty());
  }

  /** Releases the items that are still held; from when on one of them may be claimed. */
  static Optional<Instant> release(Tx tx, List<LockChange> changes) {
    List<LockRef> refs = changes.stream().map(LockChange::ref).toList();
    return tx.sql(
            """
            with released as (
              update worker_queue q
              set lock_token = null, locked_until = null,
                  visible_at = coalesce(now() + a.delay * interval '1 millisecond', q.visible_at),
                  attempt_count = greatest(0, q.attempt_count - a.uncounted)
              from unnest(?::bigint[], ?::text[], ?::float8[], ?::integer[])
                as a(id, token, delay, uncounted)
              where q.id = any (array[a.id]) and q.lock_token = a.token
              returning q.visible_at)
            select min(visible_at) as earliest from released
            """)
        .with(
            ids(refs),
            InstanceStore.claims(refs),
            InstanceStore.millis(changes),
            changes.stream().map(c -> c.ignoreAttempt() ? 1 : 0).toArray(Integer[]::new))
        .one(row -> row.maybeInstant("earliest"));
  }

  static Set<LockRef> renew(Tx tx, List<LockChange> changes) {
    List<LockRef> refs = changes.stream().map(LockChange::ref).toList();
    return new HashSet<>(
        tx.sql(
                """
                update worker_queue q
                set locked_until = clock_timestamp() + a.extent * interval '1 millisecond'
                from unnest(?::bigint[], ?::text[], ?::float8[]) as a(id, token, extent)
                where q.id = any (array[a.id]) and q.lock_token = a.token
                  and q.locked_until > clock_timestamp()
                returning q.id, a.token
                """)
            .with(ids(refs), InstanceStore.claims(refs), InstanceStore.millis(changes))
            .list(WorkItemStore::ref));
  }

  static Instant[] instants(List<Optional<Instant>> instants) {
    return instants.stream().map(instant -> instant.orElse(null)).toArray(Instant[]::new);
  }

  static ClaimedItem<WorkItem> claimed(ResultRow row, String claim) {
    return new ClaimedItem<>(
        new WorkItem(
            new LockRef(claim, Long.toString(row.longAt("id"))).token(),
            row.intAt("attempt_count"),
            row.text("instance_id"),
            row.longAt("execution_id"),
            row.longAt("activity_id"),
            row.text("work_item")),
        row.instant("visible_at"),
        row.instant("now"));
  }

  static LockRef ref(ResultRow row) {
    return new LockRef(row.text("token"), Long.toString(row.longAt("id")));
  }

  private static Long[] ids(List<LockRef> refs) {
    return refs.stream().map(WorkItemStore::id).toArray(Long[]::new);
  }

  static long id(LockRef ref) {
    try {
      return Long.parseLong(ref.key());
    } catch (NumberFormatException e) {
      return NO_ID;
    }
  }
}
