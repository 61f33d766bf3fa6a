package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.sql.Answers;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.Row;
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
  record Ref(String claim, long id) {
    static Optional<Ref> of(String token) {
      int slash = token.lastIndexOf('/');
      try {
        return Optional.of(
            new Ref(token.substring(0, slash), Long.parseLong(token.substring(slash + 1))));
      } catch (IndexOutOfBoundsException | NumberFormatException foreign) {
        return Optional.empty();
      }
    }
  }

  /** An item given back, or asked for longer. */
  record Change(Ref ref, Optional<Duration> time, boolean ignoreAttempt) {}

  List<Claimed<WorkItem>> claim(Tx tx, String pool, Claim claim) {
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
        .with(pool, claim.from(), claim.grace(), claim.limit(), claim.token(), claim.lock())
        .list(row -> claimed(row, claim.token()));
  }

  /**
   * Queues items. Of those that are visible at once, as many as are granted are locked for this
   * node.
   */
  Query insert(Tx tx, List<WorkMessage> messages, Grant grant) {
    return tx.sql(INSERT).with(values(messages, grant));
  }

  /** What {@link #ITEMS} needs, in its order. */
  static Object[] values(List<WorkMessage> messages, Grant grant) {
    return new Object[] {
      grant.token(),
      grant.lock(),
      messages.stream().map(WorkMessage::instanceId).toArray(String[]::new),
      messages.stream().map(WorkMessage::executionId).toArray(Long[]::new),
      messages.stream().map(WorkMessage::activityId).toArray(Long[]::new),
      messages.stream().map(WorkMessage::item).toArray(String[]::new),
      instants(messages.stream().map(WorkMessage::visibleAt).toList()),
      handed(messages, grant),
      messages.stream().map(WorkMessage::pool).toArray(String[]::new)
    };
  }

  /** What {@link #insert} answered. */
  static Written<WorkItem> written(Answers answers, Grant grant) {
    return Added.written(answers.list(row -> Added.of(row, grant)));
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
          .replace("VISIBLE", Announcer.visible("min(visible_at)"));

  /**
   * Which of these are locked for this node by a grant: the first that are visible at once, for
   * workers of the ordinary pool, whose grant it is.
   */
  private static Boolean[] handed(List<WorkMessage> messages, Grant grant) {
    Boolean[] handed = new Boolean[messages.size()];
    int left = grant.count();
    for (int i = 0; i < handed.length; i++) {
      WorkMessage message = messages.get(i);
      handed[i] =
          left > 0 && message.visibleAt().isEmpty() && message.pool().equals(WorkMessage.ORDINARY);
      left -= handed[i] ? 1 : 0;
    }
    return handed;
  }

  /** What everybody may claim, and an item that was locked at once, or only the first. */
  record Added(Optional<Instant> earliest, Optional<Claimed<WorkItem>> handed) {
    static Added of(Row row, Grant grant) {
      return new Added(
          row.maybeInstant("earliest"), row.maybeLong("id").map(id -> claimed(row, grant.token())));
    }

    static Written<WorkItem> written(List<Added> lines) {
      return new Written<>(
          lines.getFirst().earliest, lines.stream().flatMap(line -> line.handed.stream()).toList());
    }
  }

  /** Removes what is still held and answers what that was. */
  Set<Ref> remove(Tx tx, Collection<Ref> refs) {
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
            .list(row -> new Ref(row.text("token"), row.longAt("id"))));
  }

  /** Gives back what is still held, and answers from when on something of it may be claimed. */
  Optional<Instant> giveBack(Tx tx, List<Change> changes) {
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
            ids(changes.stream().map(Change::ref).toList()),
            claims(changes.stream().map(Change::ref).toList()),
            millis(changes),
            changes.stream().map(c -> c.ignoreAttempt() ? 1 : 0).toArray(Integer[]::new))
        .one(row -> row.maybeInstant("earliest"));
  }

  Set<Ref> renew(Tx tx, List<Change> changes) {
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
                ids(changes.stream().map(Change::ref).toList()),
                claims(changes.stream().map(Change::ref).toList()),
                millis(changes))
            .list(row -> new Ref(row.text("token"), row.longAt("id"))));
  }

  static Instant[] instants(List<Optional<Instant>> instants) {
    return instants.stream().map(instant -> instant.orElse(null)).toArray(Instant[]::new);
  }

  private static Claimed<WorkItem> claimed(Row row, String claim) {
    return new Claimed<>(
        new WorkItem(
            claim + "/" + row.longAt("id"),
            row.intAt("attempt_count"),
            row.text("instance_id"),
            row.longAt("execution_id"),
            row.longAt("activity_id"),
            row.text("work_item")),
        row.instant("visible_at"),
        row.instant("now"));
  }

  private static Double[] millis(List<Change> changes) {
    return changes.stream()
        .map(change -> change.time().map(time -> time.toNanos() / 1e6).orElse(null))
        .toArray(Double[]::new);
  }

  private static Long[] ids(Collection<Ref> refs) {
    return refs.stream().map(Ref::id).toArray(Long[]::new);
  }

  private static String[] claims(Collection<Ref> refs) {
    return refs.stream().map(Ref::claim).toArray(String[]::new);
  }
}
