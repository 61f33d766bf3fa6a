package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.sql.Row;
import io.convoke.engine.sql.Tx;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The SQL of {@code orchestrator_queue} and of the locks in {@code instances}. A lock token is its
 * claim's token and the instance.
 *
 * <p>An instance is locked by an upsert of its row, which decides by what is committed and not by
 * what the statement saw when it began. Rows are locked in the order of their instance ids by
 * everybody, so nobody waits in a circle. Turns count from the time of the first, so that they grow
 * over the deletion of an instance too: whoever remembers one that was deleted is not fooled by
 * another of the same id.
 */
final class InstanceQueue {
  /** An instance and its claim, as written in a token. */
  record Ref(String claim, String instanceId) {
    static Optional<Ref> of(String token) {
      int slash = token.indexOf('/');
      return slash < 0
          ? Optional.empty()
          : Optional.of(new Ref(token.substring(0, slash), token.substring(slash + 1)));
    }
  }

  /**
   * What a claim came back with.
   *
   * @param candidates instances that it tried to lock; those that are missing were lost to others
   * @param exhausted whether it has seen all there was
   */
  record Found(
      List<Claimed<OrchestrationItem>> instances,
      long candidates,
      boolean exhausted,
      List<Ref> empty) {}

  /** A lock given back, or asked for longer. */
  record Change(Ref ref, Optional<Duration> time, boolean ignoreAttempt) {}

  private static final int MESSAGES_PER_INSTANCE = 4;

  private record Line(
      String instanceId,
      long turn,
      long executionId,
      Optional<Long> id,
      String item,
      Instant visibleAt,
      int attempt,
      Instant now,
      long messages,
      long candidates) {}

  Found claim(Tx tx, Claim claim) {
    List<Line> lines =
        tx.sql(
                """
                with visible as materialized (
                  select q.instance_id, q.visible_at from orchestrator_queue q
                  where q.visible_at >= ?
                    and q.visible_at <= now() + ?::float8 * interval '1 millisecond'
                    and (q.lock_token is null or q.locked_until <= now())
                    and not exists (
                      select from instances i where i.instance_id = q.instance_id
                        and i.lock_token is not null and i.locked_until > now())
                  order by q.visible_at, q.id limit ?),
                candidate as materialized (
                  select instance_id, min(visible_at) as visible_at from visible
                  group by instance_id order by 2 limit ?),
                locked as (
                  insert into instances as i (instance_id, lock_token, locked_until, turn)
                  select instance_id, ?, clock_timestamp() + ?::float8 * interval '1 millisecond',
                         (extract(epoch from clock_timestamp()) * 1000000)::bigint
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
                  where c.instance_id = l.instance_id and q.instance_id = l.instance_id
                    and q.visible_at <= greatest(now(), c.visible_at)
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
                claim.from(),
                claim.grace(),
                claim.limit() * MESSAGES_PER_INSTANCE,
                claim.limit(),
                claim.token(),
                claim.lock(),
                claim.lock(),
                claim.token(),
                claim.lock())
            .list(InstanceQueue::line);
    return found(lines, claim);
  }

  Told insert(Tx tx, List<InstanceMessage> messages) {
    return tx.sql(
            """
            with added as (
              insert into orchestrator_queue (instance_id, work_item, visible_at)
              select m.instance_id, m.work_item, coalesce(m.visible_at, now())
              from unnest(?::text[], ?::text[], ?::timestamptz[])
                as m(instance_id, work_item, visible_at)
              returning visible_at)
            select min(visible_at) as earliest, clock_timestamp() as now from added
            """)
        .with(
            messages.stream().map(InstanceMessage::instanceId).toArray(String[]::new),
            messages.stream().map(InstanceMessage::item).toArray(String[]::new),
            WorkerQueue.instants(messages.stream().map(InstanceMessage::visibleAt).toList()))
        .one(row -> new Told(row.maybeInstant("earliest"), row.instant("now")));
  }

  /** Unlocks instances that are still held and answers which; their messages stay tagged. */
  Set<String> unlock(Tx tx, List<Ref> refs) {
    List<Ref> ordered = ordered(refs);
    return Set.copyOf(
        tx.sql(
                """
                update instances i set lock_token = null, locked_until = null
                from unnest(?::text[], ?::text[]) as a(instance_id, token)
                where i.instance_id = a.instance_id and i.lock_token = a.token
                returning i.instance_id
                """)
            .with(instances(ordered), claims(ordered))
            .list(row -> row.text("instance_id")));
  }

  void giveBackMessages(Tx tx, Change change) {
    int _ =
        tx.sql(
                """
                update orchestrator_queue
                set lock_token = null, locked_until = null,
                    visible_at = coalesce(
                      now() + ?::float8 * interval '1 millisecond', visible_at),
                    attempt_count = greatest(0, attempt_count - ?)
                where instance_id = ? and lock_token = ?
                """)
            .with(
                change.time(),
                change.ignoreAttempt() ? 1 : 0,
                change.ref().instanceId(),
                change.ref().claim())
            .update();
  }

  /** Makes locks that have not ended end later, those of the messages too. */
  Set<Ref> renew(Tx tx, List<Change> changes) {
    List<Change> ordered =
        changes.stream().sorted(Comparator.comparing(c -> c.ref().instanceId())).toList();
    List<Ref> refs = ordered.stream().map(Change::ref).toList();
    Double[] millis =
        ordered.stream()
            .map(c -> c.time().orElse(Duration.ZERO).toNanos() / 1e6)
            .toArray(Double[]::new);
    Set<Ref> held =
        Set.copyOf(
            tx.sql(
                    """
                    update instances i
                    set locked_until = clock_timestamp() + a.extent * interval '1 millisecond'
                    from unnest(?::text[], ?::text[], ?::float8[])
                      as a(instance_id, token, extent)
                    where i.instance_id = a.instance_id and i.lock_token = a.token
                      and i.locked_until > clock_timestamp()
                    returning i.instance_id, a.token
                    """)
                .with(instances(refs), claims(refs), millis)
                .list(row -> new Ref(row.text("token"), row.text("instance_id"))));
    int _ =
        tx.sql(
                """
                update orchestrator_queue q
                set locked_until = clock_timestamp() + a.extent * interval '1 millisecond'
                from unnest(?::text[], ?::text[], ?::float8[]) as a(instance_id, token, extent)
                where q.instance_id = a.instance_id and q.lock_token = a.token
                """)
            .with(instances(refs), claims(refs), millis)
            .update();
    return held;
  }

  /**
   * The earliest message of these instances that nobody holds. Asked after their locks were given
   * back, it finds what came meanwhile; what comes later is announced while they are free.
   */
  Optional<Instant> waiting(Tx tx, Set<String> instances) {
    return tx.sql(
            """
            select min(visible_at) as earliest from orchestrator_queue
            where instance_id = any(?) and lock_token is null
            """)
        .with((Object) new TreeSet<>(instances).toArray(String[]::new))
        .one(row -> row.maybeInstant("earliest"));
  }

  static List<Ref> ordered(List<Ref> refs) {
    return refs.stream().sorted(Comparator.comparing(Ref::instanceId)).toList();
  }

  static String[] instances(List<Ref> refs) {
    return refs.stream().map(Ref::instanceId).toArray(String[]::new);
  }

  static String[] claims(List<Ref> refs) {
    return refs.stream().map(Ref::claim).toArray(String[]::new);
  }

  private static Line line(Row row) {
    return new Line(
        row.maybeText("instance_id").orElse(""),
        row.maybeLong("turn").orElse(0L),
        row.maybeLong("current_execution_id").orElse(1L),
        row.maybeLong("id"),
        row.maybeText("work_item").orElse(""),
        row.maybeInstant("visible_at").orElse(Instant.EPOCH),
        row.maybeInt("attempt_count").orElse(0),
        row.instant("now"),
        row.longAt("messages"),
        row.longAt("candidates"));
  }

  private static Found found(List<Line> lines, Claim claim) {
    Map<String, List<Line>> byInstance = new LinkedHashMap<>();
    long candidates = lines.getFirst().candidates;
    boolean exhausted =
        candidates < claim.limit()
            && lines.getFirst().messages < (long) claim.limit() * MESSAGES_PER_INSTANCE;
    for (Line line : lines) {
      if (line.turn > 0) {
        byInstance.computeIfAbsent(line.instanceId, id -> new ArrayList<>()).add(line);
      }
    }
    List<Claimed<OrchestrationItem>> instances = new ArrayList<>();
    List<Ref> empty = new ArrayList<>();
    byInstance.forEach(
        (instanceId, messages) -> {
          if (messages.getFirst().id.isEmpty()) {
            empty.add(new Ref(claim.token(), instanceId));
          } else {
            instances.add(item(instanceId, messages, claim.token()));
          }
        });
    return new Found(instances, candidates, exhausted, empty);
  }

  private static Claimed<OrchestrationItem> item(String instance, List<Line> lines, String claim) {
    List<Line> messages =
        lines.stream()
            .sorted(Comparator.comparing(Line::visibleAt).thenComparing(l -> l.id.orElse(0L)))
            .toList();
    Line last = messages.getLast();
    OrchestrationItem item =
        new OrchestrationItem(
            instance,
            claim + "/" + instance,
            messages.stream().mapToInt(Line::attempt).max().orElse(1),
            last.executionId,
            last.turn,
            messages.stream().map(Line::item).toList());
    return new Claimed<>(item, last.visibleAt, last.now);
  }
}
