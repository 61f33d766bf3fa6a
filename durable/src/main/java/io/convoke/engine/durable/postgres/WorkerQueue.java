package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.sql.BatchResults;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The SQL of {@code worker_queue}. A lock token of an item is its claim's token and its row. */
final class WorkerQueue {
  /** A row and its claim, as written in a token. */
  record WorkItemLockRef(String claim, long id) {
    static Optional<WorkItemLockRef> of(String token) {
      int slash = token.lastIndexOf('/');
      try {
        return Optional.of(
            new WorkItemLockRef(
                token.substring(0, slash), Long.parseLong(token.substring(slash + 1))));
      } catch (IndexOutOfBoundsException | NumberFormatException foreign) {
        return Optional.empty();
      }
    }
  }

  /** An item given back, or asked for longer. */
  record WorkItemLockChange(WorkItemLockRef ref, Optional<Duration> time, boolean ignoreAttempt) {}

  List<ClaimedItem<WorkItem>> claim(Tx tx, String pool, ClaimRequest claimRequest) {
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
            pool,
            claimRequest.from(),
            claimRequest.grace(),
            claimRequest.limit(),
            claimRequest.token(),
            claimRequest.lock())
        .list(resultRow -> claimed(resultRow, claimRequest.token()));
  }

  /**
   * Queues items. Of those that are visible at once, as many as are granted are locked for this
   * node.
   */
  Query insert(Tx tx, List<WorkMessage> messages, Handoff handoff) {
    return tx.sql(INSERT).with(values(messages, handoff));
  }

  /** What {@link #ITEMS} needs, in its order. */
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

  /** What {@link #insert} answered. */
  static InsertResult<WorkItem> written(BatchResults batchResults, Handoff handoff) {
    return WorkItemsAdded.written(
        batchResults.list(resultRow -> WorkItemsAdded.of(resultRow, handoff)));
  }

  /** Writes items, some of them locked, for statements that say what was written. */
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
      select v.earliest, v.told, clock_timestamp() as now, a.id, a.instance_id,
             a.execution_id, a.activity_id, a.work_item, a.visible_at, a.attempt_count
      from (
          select min(visible_at) as earliest, VISIBLE as told
          from added where lock_token is null) v
        left join added a on a.lock_token is not null
      """
          .replace("ITEMS", ITEMS)
          .replace("VISIBLE", NewWorkNotifier.visible("min(visible_at)"));

  /**
   * Which of these are locked for this node by a grant: the first that are visible at once, for
   * workers of the ordinary pool, whose grant it is.
   */
  private static Boolean[] handed(List<WorkMessage> messages, Handoff handoff) {
    Boolean[] handed = new Boolean[messages.size()];
    int left = handoff.count();
    for (int i = 0; i < handed.length; i++) {
      WorkMessage message = messages.get(i);
      handed[i] =
          left > 0 && message.visibleAt().isEmpty() && message.pool().equals(WorkMessage.ORDINARY);
      left -= handed[i] ? 1 : 0;
    }
    return handed;
  }

  /** What everybody may claim, and an item that was locked at once, or only the first. */
  record WorkItemsAdded(Optional<Instant> earliest, Optional<ClaimedItem<WorkItem>> handed) {
    static WorkItemsAdded of(ResultRow resultRow, Handoff handoff) {
      return new WorkItemsAdded(
          resultRow.maybeInstant("earliest"),
          resultRow.maybeLong("id").map(id -> claimed(resultRow, handoff.token())));
    }

    static InsertResult<WorkItem> written(List<WorkItemsAdded> lines) {
      return new InsertResult<>(
          lines.getFirst().earliest, lines.stream().flatMap(line -> line.handed.stream()).toList());
    }
  }

  /** Removes what is still held and answers what that was. */
  Set<WorkItemLockRef> remove(Tx tx, Collection<WorkItemLockRef> refs) {
    return new HashSet<>(
        tx.sql(
                """
                delete from worker_queue q
                using unnest(?::bigint[], ?::text[]) as a(id, token)
                where q.id = any (array[a.id]) and q.lock_token = a.token
                  and q.locked_until > clock_timestamp()
                returning q.id, a.token
                """)
            .with(ids(refs), claims(refs))
            .list(
                resultRow -> new WorkItemLockRef(resultRow.text("token"), resultRow.longAt("id"))));
  }

  /** Gives back what is still held, and answers from when on something of it may be claimed. */
  Optional<Instant> release(Tx tx, List<WorkItemLockChange> changes) {
    return tx.sql(
            """
            with given as (
              update worker_queue q
              set lock_token = null, locked_until = null,
                  visible_at = coalesce(now() + a.delay * interval '1 millisecond', q.visible_at),
                  attempt_count = greatest(0, q.attempt_count - a.uncounted)
              from unnest(?::bigint[], ?::text[], ?::float8[], ?::integer[])
                as a(id, token, delay, uncounted)
              where q.id = any (array[a.id]) and q.lock_token = a.token
              returning q.visible_at)
            select min(visible_at) as earliest from given
            """)
        .with(
            ids(changes.stream().map(WorkItemLockChange::ref).toList()),
            claims(changes.stream().map(WorkItemLockChange::ref).toList()),
            millis(changes),
            changes.stream().map(c -> c.ignoreAttempt() ? 1 : 0).toArray(Integer[]::new))
        .one(resultRow -> resultRow.maybeInstant("earliest"));
  }

  Set<WorkItemLockRef> renew(Tx tx, List<WorkItemLockChange> changes) {
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
            .with(
                ids(changes.stream().map(WorkItemLockChange::ref).toList()),
                claims(changes.stream().map(WorkItemLockChange::ref).toList()),
                millis(changes))
            .list(
                resultRow -> new WorkItemLockRef(resultRow.text("token"), resultRow.longAt("id"))));
  }

  static Instant[] instants(List<Optional<Instant>> instants) {
    return instants.stream().map(instant -> instant.orElse(null)).toArray(Instant[]::new);
  }

  private static ClaimedItem<WorkItem> claimed(ResultRow resultRow, String claim) {
    return new ClaimedItem<>(
        new WorkItem(
            claim + "/" + resultRow.longAt("id"),
            resultRow.intAt("attempt_count"),
            resultRow.text("instance_id"),
            resultRow.longAt("execution_id"),
            resultRow.longAt("activity_id"),
            resultRow.text("work_item")),
        resultRow.instant("visible_at"),
        resultRow.instant("now"));
  }

  private static Double[] millis(List<WorkItemLockChange> changes) {
    return changes.stream()
        .map(
            workItemLockChange ->
                workItemLockChange.time().map(time -> time.toNanos() / 1e6).orElse(null))
        .toArray(Double[]::new);
  }

  private static Long[] ids(Collection<WorkItemLockRef> refs) {
    return refs.stream().map(WorkItemLockRef::id).toArray(Long[]::new);
  }

  private static String[] claims(Collection<WorkItemLockRef> refs) {
    return refs.stream().map(WorkItemLockRef::claim).toArray(String[]::new);
  }
}
