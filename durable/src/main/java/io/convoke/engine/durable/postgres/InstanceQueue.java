package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.sql.BatchResults;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The SQL of {@code orchestrator_queue} and of the locks in {@code instances}. A lock token is its
 * claim's token and the instance.
 *
 * <p>An instance is locked by an upsert of its row, which decides by what is committed and not by
 * the statement's snapshot. All statements lock rows in the order of their instance ids, so they
 * cannot deadlock.
 */
final class InstanceQueue {
  /** An instance and its claim, parsed from a lock token. */
  record InstanceLockRef(String claim, String instanceId) {
    static Optional<InstanceLockRef> of(String token) {
      int slash = token.indexOf('/');
      return slash < 0
          ? Optional.empty()
          : Optional.of(new InstanceLockRef(token.substring(0, slash), token.substring(slash + 1)));
    }
  }

  /**
   * The result of a claim.
   *
   * @param candidates instances that it tried to lock; those that are missing were lost to others
   * @param exhausted whether it saw all claimable messages
   */
  record InstanceClaimResult(
      List<ClaimedItem<OrchestrationItem>> instances,
      long candidates,
      boolean exhausted,
      List<InstanceLockRef> empty) {}

  /** The release or renewal of a lock. */
  record InstanceLockChange(InstanceLockRef ref, Optional<Duration> time, boolean ignoreAttempt) {}

  private static final int MESSAGES_PER_INSTANCE = 4;

  /** A locked instance, with one of its messages if there are any, or only the counts. */
  private record LockedInstanceRow(
      Optional<String> instanceId,
      Optional<LockedMessage> message,
      long messages,
      long candidates) {}

  /** The earliest unlocked message, and a message that was locked at once, if any. */
  private record InstanceMessagesAdded(
      Optional<Instant> earliest, Optional<LockedMessage> handed) {}

  InstanceClaimResult claim(Tx tx, ClaimRequest claimRequest) {
    List<LockedInstanceRow> lines =
        tx.sql(
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
                  returning instance_id, turn, current_execution_id),
                tagged as (
                  update orchestrator_queue q
                  set lock_token = ?, attempt_count = attempt_count + 1,
                      locked_until = clock_timestamp() + ?::float8 * interval '1 millisecond'
                  from locked l, candidate c
                  where c.instance_id = l.instance_id and q.instance_id = any (array[l.instance_id])
                    and (q.visible_at <= greatest(now(), c.visible_at)) is true
                  returning q.id, q.instance_id, q.work_item, q.visible_at, q.attempt_count)
                select n.messages, n.candidates, clock_timestamp() as now, l.instance_id, l.turn,
                       l.current_execution_id, t.id, t.work_item, t.visible_at, t.attempt_count
                from (
                    select (select count(*) from visible) as messages,
                           (select count(*) from candidate) as candidates) n
                  left join locked l on true
                  left join tagged t on t.instance_id = l.instance_id
                """)
            .with(
                claimRequest.from(),
                claimRequest.grace(),
                claimRequest.limit() * MESSAGES_PER_INSTANCE,
                claimRequest.limit(),
                claimRequest.token(),
                claimRequest.lock(),
                claimRequest.lock(),
                claimRequest.token(),
                claimRequest.lock())
            .list(InstanceQueue::line);
    return found(lines, claimRequest);
  }

  /**
   * Queues messages. Of the messages that are visible at once and whose instance does not exist
   * yet, as many as the handoff allows are locked for this node, with the instance.
   */
  Query insert(Tx tx, List<InstanceMessage> messages, Handoff handoff) {
    return tx.sql(INSERT)
        .with(
            messages.stream().map(InstanceMessage::instanceId).toArray(String[]::new),
            messages.stream().map(InstanceMessage::item).toArray(String[]::new),
            WorkerQueue.instants(messages.stream().map(InstanceMessage::visibleAt).toList()),
            handoff.token(),
            handoff.lock(),
            handoff.count());
  }

  /** Reads the result of {@link #insert}. */
  static InsertResult<OrchestrationItem> written(BatchResults batchResults, Handoff handoff) {
    List<InstanceMessagesAdded> lines =
        batchResults.list(
            resultRow ->
                new InstanceMessagesAdded(
                    resultRow.maybeInstant("earliest"),
                    resultRow.maybeLong("id").map(id -> LockedMessage.of(resultRow))));
    List<LockedMessage> handed = lines.stream().flatMap(line -> line.handed.stream()).toList();
    return new InsertResult<>(
        lines.getFirst().earliest, LockedMessage.items(handed, handoff.token()));
  }

  private static final String INSERT =
      """
                with said as materialized (
                  select m.* from unnest(?::text[], ?::text[], ?::timestamptz[]) with ordinality
                    as m(instance_id, work_item, visible_at, n)),
                locked as (
                  insert into instances as i (instance_id, lock_token, locked_until, turn)
                  select instance_id, ?, clock_timestamp() + ?::float8 * interval '1 millisecond', 1
                  from (
                    select instance_id from said where visible_at is null
                    group by instance_id order by min(n) limit ?) as fresh
                  order by instance_id
                  on conflict (instance_id) do nothing
                  returning instance_id, turn, current_execution_id, lock_token, locked_until),
                added as (
                  insert into orchestrator_queue
                    (instance_id, work_item, visible_at, lock_token, locked_until, attempt_count)
                  select s.instance_id, s.work_item, coalesce(s.visible_at, now()), l.lock_token,
                         l.locked_until, (l.lock_token is not null)::integer
                  from said s left join locked l
                    on l.instance_id = s.instance_id and s.visible_at is null
                  order by s.n
                  returning id, instance_id, work_item, visible_at, lock_token, attempt_count)
                select v.earliest, v.told, clock_timestamp() as now, l.instance_id, l.turn,
                       l.current_execution_id, a.id, a.work_item, a.visible_at, a.attempt_count
                from (
                    select min(visible_at) as earliest, VISIBLE as told
                    from added where lock_token is null) v
                  left join locked l on true
                  left join added a
                    on a.instance_id = l.instance_id and a.lock_token is not null
                """
          .replace("VISIBLE", NewWorkNotifier.visible("min(visible_at)"));

  /** Unlocks instances that are still held and returns which; their messages stay tagged. */
  Set<String> unlock(Tx tx, List<InstanceLockRef> refs) {
    List<InstanceLockRef> ordered = ordered(refs);
    return Set.copyOf(
        tx.sql(
                """
                update instances i set lock_token = null, locked_until = null
                from unnest(?::text[], ?::text[]) as a(instance_id, token)
                where i.instance_id = any (array[a.instance_id]) and i.lock_token = a.token
                returning i.instance_id
                """)
            .with(instances(ordered), claims(ordered))
            .list(resultRow -> resultRow.text("instance_id")));
  }

  /** Releases instances with their messages, and returns which were still held. */
  Set<String> release(Tx tx, List<InstanceLockChange> changes) {
    Set<String> unlocked = unlock(tx, changes.stream().map(InstanceLockChange::ref).toList());
    List<InstanceLockChange> held =
        changes.stream()
            .filter(instanceLockChange -> unlocked.contains(instanceLockChange.ref().instanceId()))
            .toList();
    if (!held.isEmpty()) {
      giveBackMessages(tx, held);
    }
    return unlocked;
  }

  private static void giveBackMessages(Tx tx, List<InstanceLockChange> changes) {
    List<InstanceLockRef> refs = changes.stream().map(InstanceLockChange::ref).toList();
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
                changes.stream()
                    .map(
                        instanceLockChange ->
                            instanceLockChange
                                .time()
                                .map(time -> time.toNanos() / 1e6)
                                .orElse(null))
                    .toArray(Double[]::new),
                changes.stream()
                    .map(instanceLockChange -> instanceLockChange.ignoreAttempt() ? 1 : 0)
                    .toArray(Integer[]::new))
            .update();
  }

  /** Extends locks that have not expired, those of the messages too. */
  Set<InstanceLockRef> renew(Tx tx, List<InstanceLockChange> changes) {
    List<InstanceLockChange> ordered =
        changes.stream().sorted(Comparator.comparing(c -> c.ref().instanceId())).toList();
    List<InstanceLockRef> refs = ordered.stream().map(InstanceLockChange::ref).toList();
    Double[] millis =
        ordered.stream()
            .map(c -> c.time().orElse(Duration.ZERO).toNanos() / 1e6)
            .toArray(Double[]::new);
    Set<InstanceLockRef> held =
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
                .list(
                    resultRow ->
                        new InstanceLockRef(
                            resultRow.text("token"), resultRow.text("instance_id"))));
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
  Query waiting(Tx tx, List<String> instances) {
    return tx.sql(
            """
            select min(visible_at) as earliest from (
              select visible_at from orchestrator_queue
              where instance_id = any(?) and lock_token is null offset 0) as waiting
            """)
        .with((Object) instances.stream().sorted().toArray(String[]::new));
  }

  static List<InstanceLockRef> ordered(List<InstanceLockRef> refs) {
    return refs.stream().sorted(Comparator.comparing(InstanceLockRef::instanceId)).toList();
  }

  static String[] instances(List<InstanceLockRef> refs) {
    return refs.stream().map(InstanceLockRef::instanceId).toArray(String[]::new);
  }

  static String[] claims(List<InstanceLockRef> refs) {
    return refs.stream().map(InstanceLockRef::claim).toArray(String[]::new);
  }

  private static LockedInstanceRow line(ResultRow resultRow) {
    return new LockedInstanceRow(
        resultRow.maybeText("instance_id"),
        resultRow.maybeLong("id").map(id -> LockedMessage.of(resultRow)),
        resultRow.longAt("messages"),
        resultRow.longAt("candidates"));
  }

  private static InstanceClaimResult found(
      List<LockedInstanceRow> lines, ClaimRequest claimRequest) {
    LockedInstanceRow counts = lines.getFirst();
    boolean exhausted =
        counts.candidates < claimRequest.limit()
            && counts.messages < (long) claimRequest.limit() * MESSAGES_PER_INSTANCE;
    List<InstanceLockRef> empty =
        lines.stream()
            .filter(lockedInstanceRow -> lockedInstanceRow.message.isEmpty())
            .flatMap(lockedInstanceRow -> lockedInstanceRow.instanceId.stream())
            .map(instance -> new InstanceLockRef(claimRequest.token(), instance))
            .toList();
    List<LockedMessage> messages =
        lines.stream().flatMap(lockedInstanceRow -> lockedInstanceRow.message.stream()).toList();
    return new InstanceClaimResult(
        LockedMessage.items(messages, claimRequest.token()), counts.candidates, exhausted, empty);
  }
}
