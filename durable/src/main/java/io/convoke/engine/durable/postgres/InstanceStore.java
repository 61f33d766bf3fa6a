package io.convoke.engine.durable.postgres;

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
import io.convoke.engine.durable.provider.OrchestrationItem.DeliveredMessage;
import io.convoke.engine.durable.provider.TurnCommit;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.sql.BatchResults;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.sql.Tx;
import io.convoke.engine.wake.CappedTime;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The statements of {@code orchestrator_queue} and of the locks in {@code instances}. The key of a
 * lock is the instance id.
 *
 * <p>An instance is locked by an upsert of its row, which decides by what is committed and not by
 * the statement's snapshot. All statements lock rows in the order of their instance ids, so they
 * cannot deadlock.
 */
final class InstanceStore
    implements QueueClaimer.ClaimStatements<OrchestrationItem>,
        QueueCommits.QueueStatements<OrchestrationItem, InstanceMessage, TurnCommit, WorkItem> {
  private static final int MESSAGES_PER_INSTANCE = 4;

  private final Database database;
  private final Database claiming;
  private final QueueNotifier notifier;

  /**
   * The statements on two pools.
   *
   * @param claiming the pool whose commits do not wait for the disk
   */
  InstanceStore(Database database, Database claiming, QueueNotifier notifier) {
    this.database = database;
    this.claiming = claiming;
    this.notifier = notifier;
  }

  @Override
  public ClaimedItems<OrchestrationItem> claim(ClaimRequest claimRequest) {
    List<LockedInstanceRow> rows = claiming.read(tx -> claim(tx, claimRequest));
    LockedInstanceRow counts = rows.getFirst();
    List<LockRef> empty =
        rows.stream()
            .filter(row -> row.message.isEmpty())
            .flatMap(row -> row.instanceId.stream())
            .map(instance -> new LockRef(claimRequest.token(), instance))
            .toList();
    if (!empty.isEmpty()) {
      // Another node consumed their messages while the claim waited for their lock.
      Set<LockRef> _ = claiming.read(tx -> unlock(tx, empty));
    }
    List<ClaimedItem<OrchestrationItem>> items =
        LockedMessage.items(
            rows.stream().flatMap(row -> row.message.stream()).toList(), claimRequest.token());
    boolean exhausted =
        counts.candidates < claimRequest.limit()
            && counts.messages < (long) claimRequest.limit() * MESSAGES_PER_INSTANCE;
    return new ClaimedItems<>(items, exhausted, counts.candidates > 0 && items.isEmpty());
  }

  @Override
  public Optional<Instant> releaseClaimed(List<OrchestrationItem> items) {
    List<LockChange> changes =
        items.stream()
            .flatMap(item -> LockRef.of(item.lockToken()).stream())
            .map(ref -> new LockChange(ref, Optional.empty(), true))
            .toList();
    return release(claiming, changes).earliest();
  }

  @Override
  public ReleaseResult release(List<LockChange> changes) {
    return release(database, changes);
  }

  /** If the query for the earliest message fails, it assumes that one may be claimed at once. */
  private static ReleaseResult release(Database database, List<LockChange> changes) {
    Set<LockRef> held = database.transaction(tx -> release(tx, changes));
    if (held.isEmpty()) {
      return ReleaseResult.LOST;
    }
    try {
      Optional<Instant> earliest =
          database.read(tx -> waiting(tx, held).one(row -> row.maybeInstant("earliest")));
      return new ReleaseResult(true, earliest);
    } catch (StoreUnavailable | SqlFailure e) {
      return new ReleaseResult(true, Optional.of(Instant.EPOCH));
    }
  }

  @Override
  public int claimable(InstanceMessage message) {
    return 1;
  }

  @Override
  public InsertResult<OrchestrationItem> insert(List<InstanceMessage> messages, Handoff handoff) {
    return notifier.insert(
        new WakeTarget.WholeQueue(QueueKind.ORCHESTRATOR),
        tx -> insert(tx, messages, handoff),
        batchResults -> inserted(batchResults, handoff));
  }

  @Override
  public int claimableAfter(TurnCommit turn) {
    return ConcurrencyLimits.without(turn.work()).size();
  }

  @Override
  public AckResult<WorkItem> ack(List<LockAck<TurnCommit>> turns, Handoff handoff) {
    return database.transaction(tx -> TurnStore.commit(tx, turns, handoff));
  }

  @Override
  public Set<LockRef> renew(List<LockChange> changes) {
    return database.transaction(tx -> renew(tx, changes));
  }

  /** A locked instance, with one of its messages if there are any, or only the counts. */
  record LockedInstanceRow(
      Optional<String> instanceId,
      Optional<LockedMessage> message,
      long messages,
      long candidates) {
    private static LockedInstanceRow of(ResultRow row) {
      return new LockedInstanceRow(
          row.maybeText("instance_id"),
          row.maybeLong("id").map(_ -> LockedMessage.of(row)),
          row.longAt("messages"),
          row.longAt("candidates"));
    }
  }

  /** Locks instances that have visible messages; instances that other nodes locked are missing. */
  static List<LockedInstanceRow> claim(Tx tx, ClaimRequest claimRequest) {
    return tx.sql(
            """
            with visible as materialized (
              select q.instance_id, q.visible_at from orchestrator_queue q
              where q.visible_at >= ?
                and q.visible_at <= now() + ?::float8 * interval '1 millisecond'
                and (q.lock_token is null or q.locked_until <= now())
                and not exists (
                  select from instances i where i.instance_id = any (array[q.instance_id])
                    and i.lock_token is not null and i.locked_until > now())
              order by q.visible_at limit ?),
            candidate as materialized (
              select instance_id, min(visible_at) as visible_at from visible
              group by instance_id order by 2 limit ?),
            locked as (
              insert into instances as i (instance_id, lock_token, locked_until, turn)
              select instance_id, ?, clock_timestamp() + ?::float8 * interval '1 millisecond', 1
              from candidate order by instance_id
              on conflict (instance_id) do update
              set lock_token = excluded.lock_token, turn = i.turn + 1,
                  locked_until = clock_timestamp() + ?::float8 * interval '1 millisecond'
              where i.lock_token is null or i.locked_until <= clock_timestamp()
              returning instance_id, turn, current_execution_id, created_at),
            tagged as (
              update orchestrator_queue q
              set lock_token = ?, attempt_count = attempt_count + 1,
                  locked_until = clock_timestamp() + ?::float8 * interval '1 millisecond'
              from locked l, candidate c
              where c.instance_id = l.instance_id and q.instance_id = any (array[l.instance_id])
                and (q.visible_at <= greatest(now(), c.visible_at)) is true
              returning q.id, q.instance_id, q.work_item, q.visible_at, q.attempt_count)
            select n.messages, n.candidates, clock_timestamp() as now, l.instance_id, l.turn,
                   l.current_execution_id, l.created_at, t.id, t.work_item, t.visible_at,
                   t.attempt_count
            from (
                select (select count(*) from visible) as messages,
                       (select count(*) from candidate) as candidates) n
              left join locked l on true
              left join tagged t on t.instance_id = l.instance_id
            """)
        .with(
            claimRequest.fromParameter(),
            claimRequest.grace(),
            claimRequest.limit() * MESSAGES_PER_INSTANCE,
            claimRequest.limit(),
            claimRequest.token(),
            claimRequest.lock(),
            claimRequest.lock(),
            claimRequest.token(),
            claimRequest.lock())
        .list(LockedInstanceRow::of);
  }

  /**
   * Queues messages. Of the messages that are visible at once and whose instance does not exist
   * yet, as many as the handoff allows are locked for this node, with the instance. Where another
   * message waits already, such as the start, none is: alone it would be dropped.
   */
  static Query insert(Tx tx, List<InstanceMessage> messages, Handoff handoff) {
    return tx.sql(INSERT)
        .with(
            messages.stream().map(InstanceMessage::instanceId).toArray(String[]::new),
            messages.stream().map(InstanceMessage::item).toArray(String[]::new),
            WorkItemStore.instants(messages.stream().map(InstanceMessage::visibleAt).toList()),
            handoff.token(),
            handoff.lock(),
            handoff.count());
  }

  /** The earliest unlocked message, and a message that was locked at once, if any. */
  private record InsertedMessage(Optional<Instant> earliest, Optional<LockedMessage> handed) {}

  private static InsertResult<OrchestrationItem> inserted(
      BatchResults batchResults, Handoff handoff) {
    List<InsertedMessage> rows =
        batchResults.list(
            row ->
                new InsertedMessage(
                    row.maybeInstant("earliest"),
                    row.maybeLong("id").map(_ -> LockedMessage.of(row))));
    List<LockedMessage> handed = rows.stream().flatMap(row -> row.handed.stream()).toList();
    return new InsertResult<>(
        rows.getFirst().earliest, LockedMessage.items(handed, handoff.token()));
  }

  private static final String INSERT =
      """
      with message as materialized (
        select m.* from unnest(?::text[], ?::text[], ?::timestamptz[]) with ordinality
          as m(instance_id, work_item, visible_at, n)),
      locked as (
        insert into instances as i (instance_id, lock_token, locked_until, turn)
        select instance_id, ?, clock_timestamp() + ?::float8 * interval '1 millisecond', 1
        from (
          select m.instance_id from message m
          where m.visible_at is null and not exists (
            select from orchestrator_queue q where q.instance_id = any (array[m.instance_id]))
          group by m.instance_id order by min(m.n) limit ?) as fresh
        order by instance_id
        on conflict (instance_id) do nothing
        returning instance_id, turn, current_execution_id, created_at, lock_token, locked_until),
      added as (
        insert into orchestrator_queue
          (instance_id, work_item, visible_at, lock_token, locked_until, attempt_count)
        select s.instance_id, s.work_item, coalesce(s.visible_at, now()), l.lock_token,
               l.locked_until, (l.lock_token is not null)::integer
        from message s left join locked l
          on l.instance_id = s.instance_id and s.visible_at is null
        order by s.n
        returning id, instance_id, work_item, visible_at, lock_token, attempt_count)
      select v.earliest, v.notified, clock_timestamp() as now, l.instance_id, l.turn,
             l.current_execution_id, l.created_at, a.id, a.work_item, a.visible_at,
             a.attempt_count
      from (
          select min(visible_at) as earliest, VISIBLE as notified
          from added where lock_token is null) v
        left join locked l on true
        left join added a
          on a.instance_id = l.instance_id and a.lock_token is not null
      """
          .replace("VISIBLE", NewWorkNotifier.visible("min(visible_at)"));

  /** Unlocks instances that are still held and returns which; their messages stay tagged. */
  private static Set<LockRef> unlock(Tx tx, List<LockRef> refs) {
    List<LockRef> ordered = ordered(refs, ref -> ref);
    return Set.copyOf(
        tx.sql(
                """
                update instances i set lock_token = null, locked_until = null
                from unnest(?::text[], ?::text[]) as a(instance_id, token)
                where i.instance_id = any (array[a.instance_id]) and i.lock_token = a.token
                returning i.instance_id, a.token
                """)
            .with(instances(ordered), claims(ordered))
            .list(InstanceStore::ref));
  }

  /** Releases instances with their messages, and returns which were still held. */
  static Set<LockRef> release(Tx tx, List<LockChange> changes) {
    Set<LockRef> unlocked = unlock(tx, changes.stream().map(LockChange::ref).toList());
    List<LockChange> held =
        changes.stream().filter(change -> unlocked.contains(change.ref())).toList();
    if (!held.isEmpty()) {
      releaseMessages(tx, held);
    }
    return unlocked;
  }

  private static void releaseMessages(Tx tx, List<LockChange> changes) {
    List<LockRef> refs = changes.stream().map(LockChange::ref).toList();
    int _ =
        tx.sql(
                """
                update orchestrator_queue q
                set lock_token = null, locked_until = null,
                    visible_at = coalesce(now() + a.delay * interval '1 millisecond', q.visible_at),
                    attempt_count = greatest(0, q.attempt_count - a.uncounted)
                from unnest(?::text[], ?::text[], ?::float8[], ?::integer[])
                  as a(instance_id, token, delay, uncounted)
                where q.instance_id = any (array[a.instance_id]) and q.lock_token = a.token
                """)
            .with(
                instances(refs),
                claims(refs),
                millis(changes),
                changes.stream().map(c -> c.ignoreAttempt() ? 1 : 0).toArray(Integer[]::new))
            .update();
  }

  /** Extends locks that have not expired, those of the messages too. */
  static Set<LockRef> renew(Tx tx, List<LockChange> changes) {
    List<LockChange> ordered = ordered(changes, LockChange::ref);
    List<LockRef> refs = ordered.stream().map(LockChange::ref).toList();
    Double[] millis = millis(ordered);
    Set<LockRef> held =
        Set.copyOf(
            tx.sql(
                    """
                    update instances i
                    set locked_until = clock_timestamp() + a.extent * interval '1 millisecond'
                    from unnest(?::text[], ?::text[], ?::float8[])
                      as a(instance_id, token, extent)
                    where i.instance_id = any (array[a.instance_id]) and i.lock_token = a.token
                      and i.locked_until > clock_timestamp()
                    returning i.instance_id, a.token
                    """)
                .with(instances(refs), claims(refs), millis)
                .list(InstanceStore::ref));
    int _ =
        tx.sql(
                """
                update orchestrator_queue q
                set locked_until = clock_timestamp() + a.extent * interval '1 millisecond'
                from unnest(?::text[], ?::text[], ?::float8[]) as a(instance_id, token, extent)
                where q.instance_id = any (array[a.instance_id]) and q.lock_token = a.token
                """)
            .with(instances(refs), claims(refs), millis)
            .update();
    return held;
  }

  /**
   * The earliest unlocked message of these instances. Queried after their locks were released, it
   * finds what arrived meanwhile; later messages are announced while the instances are free.
   */
  static Query waiting(Tx tx, Set<LockRef> released) {
    return tx.sql(
            """
            select min(visible_at) as earliest from (
              select visible_at from orchestrator_queue
              where instance_id = any(?) and lock_token is null offset 0) as waiting
            """)
        .with((Object) released.stream().map(LockRef::key).sorted().toArray(String[]::new));
  }

  private static LockRef ref(ResultRow row) {
    return new LockRef(row.text("token"), row.text("instance_id"));
  }

  /** In the order in which all statements lock instances. */
  static <T> List<T> ordered(List<T> items, Function<T, LockRef> ref) {
    return items.stream().sorted(Comparator.comparing(item -> ref.apply(item).key())).toList();
  }

  static String[] instances(List<LockRef> refs) {
    return refs.stream().map(LockRef::key).toArray(String[]::new);
  }

  static String[] claims(List<LockRef> refs) {
    return refs.stream().map(LockRef::claim).toArray(String[]::new);
  }

  /** The times of changes in milliseconds, at most 292 years; null for none. */
  static Double[] millis(List<LockChange> changes) {
    return changes.stream()
        .map(LockChange::time)
        .map(it -> it.map(time -> CappedTime.nanos(time) / 1e6).orElse(null))
        .toArray(Double[]::new);
  }

  /** A message under its instance's lock, as a statement returns it. */
  record LockedMessage(
      String instanceId,
      long turn,
      long executionId,
      Instant createdAt,
      long id,
      String item,
      Instant visibleAt,
      int attempt,
      Instant now) {

    static LockedMessage of(ResultRow row) {
      return new LockedMessage(
          row.text("instance_id"),
          row.longAt("turn"),
          row.longAt("current_execution_id"),
          row.instant("created_at"),
          row.longAt("id"),
          row.text("work_item"),
          row.instant("visible_at"),
          row.intAt("attempt_count"),
          row.instant("now"));
    }

    /** All messages of an instance together, and the instances in the order of the list. */
    static List<ClaimedItem<OrchestrationItem>> items(List<LockedMessage> messages, String claim) {
      Map<String, List<LockedMessage>> byInstance =
          messages.stream()
              .collect(
                  Collectors.groupingBy(
                      LockedMessage::instanceId, LinkedHashMap::new, Collectors.toList()));
      return byInstance.values().stream().map(those -> item(those, claim)).toList();
    }

    private static ClaimedItem<OrchestrationItem> item(List<LockedMessage> those, String claim) {
      List<LockedMessage> messages =
          those.stream()
              .sorted(
                  Comparator.comparing(LockedMessage::visibleAt)
                      .thenComparingLong(LockedMessage::id))
              .toList();
      LockedMessage last = messages.getLast();
      OrchestrationItem item =
          new OrchestrationItem(
              last.instanceId,
              new LockRef(claim, last.instanceId).token(),
              last.executionId,
              last.turn,
              last.createdAt,
              messages.stream()
                  .map(message -> new DeliveredMessage(message.item, message.attempt))
                  .toList());
      return new ClaimedItem<>(item, last.visibleAt, last.now);
    }
  }
}
