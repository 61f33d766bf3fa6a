package io.convoke.engine.durable.postgres;

import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The state of both queues and of all nodes, read in one statement.
 *
 * @param next for each queue, when an item becomes visible next
 * @param due for each queue, since when an unlocked item is visible
 * @param leases when the next lock of each node expires, by the node's number
 * @param nodes the numbers that have a session
 * @param waiting whether an item waits for a slot of its key
 */
record QueueSnapshot(
    Map<QueueKind, Instant> next,
    Map<QueueKind, Instant> due,
    Map<Integer, Instant> leases,
    Set<Integer> nodes,
    boolean waiting,
    Instant now) {

  /** The two queues. */
  enum QueueKind {
    ORCHESTRATOR,
    WORKER
  }

  private record QueueSnapshotRow(
      String kind, Optional<QueueKind> queue, Optional<Instant> at, int node) {}

  static QueueSnapshot read(Tx tx, Duration grace, int lockClass) {
    List<QueueSnapshotRow> lines =
        tx.sql(
                """
                select 'next' as kind, 'ORCHESTRATOR' as queue, min(visible_at) as at, 0 as node
                  from orchestrator_queue
                  where visible_at > now() + ?::float8 * interval '1 millisecond'
                union all
                select 'next', 'WORKER', min(visible_at), 0 from worker_queue
                  where visible_at > now() + ?::float8 * interval '1 millisecond'
                    and visible_at < 'infinity'
                union all
                select 'due', 'ORCHESTRATOR', min(visible_at), 0 from orchestrator_queue
                  where visible_at <= now() and (lock_token is null or locked_until <= now())
                union all
                select 'due', 'WORKER', min(visible_at), 0 from worker_queue
                  where visible_at <= now() and (lock_token is null or locked_until <= now())
                union all
                select 'lease', null, min(locked_until),
                       case when lock_token ~ '^[0-9]{1,9}[.]'
                         then split_part(lock_token, '.', 1)::integer else 0 end
                  from (
                    select lock_token, locked_until from orchestrator_queue
                    where visible_at <= now() + ?::float8 * interval '1 millisecond'
                      and lock_token is not null and locked_until > now()
                    union all
                    select lock_token, locked_until from worker_queue
                    where visible_at <= now() + ?::float8 * interval '1 millisecond'
                      and lock_token is not null and locked_until > now()) as locked
                  group by 4
                union all
                select 'node', null, null, objid::bigint::integer from pg_locks
                  where locktype = 'advisory' and classid::bigint = ? and objsubid = 2 and granted
                    and database = (select oid from pg_database where datname = current_database())
                union all
                select 'waiting', null, null, 0
                  where exists (select from worker_queue where visible_at = 'infinity')
                union all
                select 'now', null, clock_timestamp(), 0
                """)
            .with(grace, grace, grace, grace, Integer.toUnsignedLong(lockClass))
            .list(QueueSnapshot::line);
    return of(lines);
  }

  /** Reads only when items become visible next. */
  static QueueSnapshot peek(Tx tx, Duration grace) {
    return of(
        tx.sql(
                """
                select 'next' as kind, 'ORCHESTRATOR' as queue, min(visible_at) as at, 0 as node
                  from orchestrator_queue
                  where visible_at > now() + ?::float8 * interval '1 millisecond'
                union all
                select 'next', 'WORKER', min(visible_at), 0 from worker_queue
                  where visible_at > now() + ?::float8 * interval '1 millisecond'
                    and visible_at < 'infinity'
                union all
                select 'now', null, clock_timestamp(), 0
                """)
            .with(grace, grace)
            .list(QueueSnapshot::line));
  }

  /** The pattern of all tokens of a node. */
  static String tokensOf(int node) {
    return node + ".%";
  }

  /** Frees everything that is locked under a token, or under tokens like a pattern. */
  static void free(Tx tx, String tokens) {
    int _ =
        tx.sql(
                """
                update instances i set lock_token = null, locked_until = null
                from (
                  select distinct instance_id, lock_token from orchestrator_queue
                  where visible_at <= now() + interval '1 minute' and lock_token like ?
                  order by instance_id) q
                where i.instance_id = q.instance_id and i.lock_token = q.lock_token
                """)
            .with(tokens)
            .update();
    for (String table : List.of("orchestrator_queue", "worker_queue")) {
      int _ =
          tx.sql(
                  "update "
                      + table
                      + """
                       set lock_token = null, locked_until = null
                      where visible_at <= now() + interval '1 minute' and lock_token like ?
                      """)
              .with(tokens)
              .update();
    }
  }

  private static QueueSnapshotRow line(ResultRow resultRow) {
    return new QueueSnapshotRow(
        resultRow.text("kind"),
        resultRow.maybeText("queue").map(QueueKind::valueOf),
        resultRow.maybeInstant("at"),
        resultRow.intAt("node"));
  }

  private static QueueSnapshot of(List<QueueSnapshotRow> lines) {
    Map<QueueKind, Instant> next = new HashMap<>();
    Map<QueueKind, Instant> due = new HashMap<>();
    Map<Integer, Instant> leases = new HashMap<>();
    Set<Integer> nodes = new HashSet<>();
    boolean waiting = false;
    Instant now = Instant.EPOCH;
    for (QueueSnapshotRow row : lines) {
      switch (row.kind) {
        case "next" -> put(next, row);
        case "due" -> put(due, row);
        case "lease" -> row.at.ifPresent(at -> leases.put(row.node, at));
        case "node" -> nodes.add(row.node);
        case "waiting" -> waiting = true;
        default -> now = row.at.orElse(now);
      }
    }
    return new QueueSnapshot(next, due, leases, nodes, waiting, now);
  }

  private static void put(Map<QueueKind, Instant> map, QueueSnapshotRow row) {
    if (row.queue.isPresent() && row.at.isPresent()) {
      Instant _ = map.put(row.queue.get(), row.at.get());
    }
  }
}
