package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.durable.provider.WorkMessage;
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

  List<Claimed<WorkItem>> claim(Tx tx, Claim claim) {
    return tx.sql(
            """
            with picked as materialized (
              select id from worker_queue
              where visible_at >= ? and visible_at <= now() + ?::float8 * interval '1 millisecond'
                and (lock_token is null or locked_until <= now())
              order by visible_at, id limit ?
              for update skip locked)
            update worker_queue q
            set lock_token = ?, attempt_count = attempt_count + 1,
                locked_until = clock_timestamp() + ?::float8 * interval '1 millisecond'
            from picked where q.id = picked.id
            returning q.id, q.instance_id, q.execution_id, q.activity_id, q.work_item,
                      q.visible_at, q.attempt_count, clock_timestamp() as now
            """)
        .with(claim.from(), claim.grace(), claim.limit(), claim.token(), claim.lock())
        .list(row -> claimed(row, claim.token()));
  }

  /** Answers the earliest visible_at, and the store's time. */
  Told insert(Tx tx, List<WorkMessage> messages) {
    return tx.sql(
            """
            with added as (
              insert into worker_queue (instance_id, execution_id, activity_id, work_item, visible_at)
              select m.instance_id, m.execution_id, m.activity_id, m.work_item,
                     coalesce(m.visible_at, now())
              from unnest(?::text[], ?::bigint[], ?::bigint[], ?::text[], ?::timestamptz[])
                as m(instance_id, execution_id, activity_id, work_item, visible_at)
              returning visible_at)
            select min(visible_at) as earliest, clock_timestamp() as now from added
            """)
        .with(
            messages.stream().map(WorkMessage::instanceId).toArray(String[]::new),
            messages.stream().map(WorkMessage::executionId).toArray(Long[]::new),
            messages.stream().map(WorkMessage::activityId).toArray(Long[]::new),
            messages.stream().map(WorkMessage::item).toArray(String[]::new),
            instants(messages.stream().map(WorkMessage::visibleAt).toList()))
        .one(row -> new Told(row.maybeInstant("earliest"), row.instant("now")));
  }

  /** Removes what is still held and answers what that was. */
  Set<Ref> remove(Tx tx, Collection<Ref> refs) {
    return new HashSet<>(
        tx.sql(
                """
                delete from worker_queue q
                using unnest(?::bigint[], ?::text[]) as a(id, token)
                where q.id = a.id and q.lock_token = a.token
                  and q.locked_until > clock_timestamp()
                returning q.id, a.token
                """)
            .with(ids(refs), claims(refs))
            .list(row -> new Ref(row.text("token"), row.longAt("id"))));
  }

  Set<Ref> giveBack(Tx tx, List<Change> changes) {
    return new HashSet<>(
        tx.sql(
                """
                update worker_queue q
                set lock_token = null, locked_until = null,
                    visible_at = coalesce(
                      now() + a.delay * interval '1 millisecond', q.visible_at),
                    attempt_count = greatest(0, q.attempt_count - a.uncounted)
                from unnest(?::bigint[], ?::text[], ?::float8[], ?::integer[])
                  as a(id, token, delay, uncounted)
                where q.id = a.id and q.lock_token = a.token
                returning q.id, a.token
                """)
            .with(
                ids(changes.stream().map(Change::ref).toList()),
                claims(changes.stream().map(Change::ref).toList()),
                millis(changes),
                changes.stream().map(c -> c.ignoreAttempt() ? 1 : 0).toArray(Integer[]::new))
            .list(row -> new Ref(row.text("token"), row.longAt("id"))));
  }

  Set<Ref> renew(Tx tx, List<Change> changes) {
    return new HashSet<>(
        tx.sql(
                """
                update worker_queue q
                set locked_until = clock_timestamp() + a.extent * interval '1 millisecond'
                from unnest(?::bigint[], ?::text[], ?::float8[]) as a(id, token, extent)
                where q.id = a.id and q.lock_token = a.token
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
