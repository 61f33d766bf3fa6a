package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.EnqueueOptions;
import io.convoke.engine.durable.postgres.QueueClaimer.ClaimedItem;
import io.convoke.engine.durable.postgres.QueueClaimer.Handoff;
import io.convoke.engine.durable.postgres.QueueClaimer.InsertResult;
import io.convoke.engine.durable.postgres.WakeTarget.JobPools;
import io.convoke.engine.durable.provider.ConcurrencyLimit;
import io.convoke.engine.durable.provider.NewJob;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.sql.BatchResults;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Inserts jobs. Those that may run at once and have neither a unique key nor a limit are plain:
 * some of them are locked in the insert for dispatchers of this node that wait for their pool.
 */
final class JobInserts {
  private static final int ROWS_MAX = 1000;
  private static final int CHARACTERS_MAX = 8 << 20;

  private final Database database;
  private final QueueNotifier notifier;
  private final Function<String, Optional<QueueClaimer<WorkItem>>> claimers;

  /**
   * The inserts of a node.
   *
   * @param claimers the claimer of a pool, if dispatchers of this node have fetched from it
   */
  JobInserts(
      Database database,
      QueueNotifier notifier,
      Function<String, Optional<QueueClaimer<WorkItem>>> claimers) {
    this.database = database;
    this.notifier = notifier;
    this.claimers = claimers;
  }

  /** Inserts jobs, and returns for each whether its unique key was free. */
  List<Boolean> insert(List<NewJob> jobs) {
    List<NewJob> plain = jobs.stream().filter(JobInserts::isPlain).toList();
    HandingOver handingOver = new HandingOver(plain);
    boolean committed = false;
    try {
      List<Boolean> inserted =
          plain.size() == jobs.size()
              ? insertPlain(plain, handingOver)
              : insertAny(jobs, handingOver);
      committed = true;
      return inserted;
    } finally {
      if (!committed) {
        handingOver.cancel();
      }
    }
  }

  /** Inserts jobs in one transaction. */
  void insertAll(List<NewJob> jobs) {
    HandingOver nothing = new HandingOver(List.of());
    Optional<Instant> earliest =
        database.transaction(
            tx -> {
              List<Optional<Instant>> times = new ArrayList<>();
              for (List<NewJob> part : parts(jobs.stream().filter(JobInserts::isPlain).toList())) {
                times.add(together(tx, plain(tx, part, nothing)).earliest());
              }
              List<NewJob> others = jobs.stream().filter(job -> !isPlain(job)).toList();
              if (!others.isEmpty()) {
                times.add(constrained(tx, others).earliest);
              }
              return times.stream().flatMap(Optional::stream).min(Comparator.naturalOrder());
            });
    earliest.ifPresent(at -> notifier.wrote(pools(jobs), at));
  }

  /** Inserts one job in a transaction of the caller. */
  static boolean insert(Connection connection, SchemaNames schemaNames, NewJob job)
      throws SQLException {
    EnqueueOptions options = job.options();
    try (PreparedStatement insert =
        connection.prepareStatement(
            """
            insert into %s.worker_queue
              (instance_id, pool, work_item, tags, unique_key, limit_key, limit_most, visible_at)
            values (?, ?, ?, ?::text[], ?, ?, ?::integer,
                    case when ?::text is not null then 'infinity'
                      else coalesce(?::timestamptz, now() - ?::integer * interval '1 hour') end)
            on conflict (pool, unique_key) where unique_key is not null do nothing
            """
                .formatted(schemaNames.quoted()))) {
      Optional<String> key = options.limit().map(ConcurrencyLimit::key);
      insert.setString(1, job.id());
      insert.setString(2, job.pool());
      insert.setString(3, job.payload());
      insert.setString(4, JobStore.literal(options).orElse(null));
      insert.setString(5, options.unique().orElse(null));
      insert.setString(6, key.orElse(null));
      insert.setObject(7, options.limit().map(ConcurrencyLimit::atMost).orElse(null));
      insert.setString(8, key.orElse(null));
      insert.setObject(9, options.runAt().map(at -> at.atOffset(ZoneOffset.UTC)).orElse(null));
      insert.setInt(10, options.priority());
      return insert.executeUpdate() == 1;
    }
  }

  private List<Boolean> insertPlain(List<NewJob> jobs, HandingOver handingOver) {
    handingOver.hand(
        notifier.insert(pools(jobs), tx -> plain(tx, jobs, handingOver), JobInserts::inserted));
    return jobs.stream().map(_ -> true).toList();
  }

  private List<Boolean> insertAny(List<NewJob> jobs, HandingOver handingOver) {
    List<NewJob> plain = jobs.stream().filter(JobInserts::isPlain).toList();
    List<NewJob> others = jobs.stream().filter(job -> !isPlain(job)).toList();
    Mixed mixed =
        database.transaction(
            tx ->
                new Mixed(
                    plain.isEmpty()
                        ? InsertResult.none()
                        : together(tx, plain(tx, plain, handingOver)),
                    constrained(tx, others)));
    handingOver.hand(mixed.plain);
    mixed.earliest().ifPresent(at -> notifier.wrote(pools(jobs), at));
    return jobs.stream()
        .map(job -> isPlain(job) || mixed.constrained.ids.contains(job.id()))
        .toList();
  }

  private static InsertResult<PoolItem> together(Tx tx, Query query) {
    return tx.queryTogether(List.of(query), JobInserts::inserted);
  }

  private record Mixed(InsertResult<PoolItem> plain, Constrained constrained) {
    Optional<Instant> earliest() {
      return Stream.of(plain.earliest(), constrained.earliest)
          .flatMap(Optional::stream)
          .min(Comparator.naturalOrder());
    }
  }

  private static JobPools pools(List<NewJob> jobs) {
    return new JobPools(jobs.stream().map(NewJob::pool).collect(Collectors.toSet()));
  }

  private static boolean isPlain(NewJob job) {
    return job.options().unique().isEmpty() && job.options().limit().isEmpty();
  }

  private static List<List<NewJob>> parts(List<NewJob> jobs) {
    List<List<NewJob>> parts = new ArrayList<>();
    List<NewJob> part = new ArrayList<>();
    int characters = 0;
    for (NewJob job : jobs) {
      part.add(job);
      characters += job.payload().length();
      if (part.size() == ROWS_MAX || characters > CHARACTERS_MAX) {
        parts.add(part);
        part = new ArrayList<>();
        characters = 0;
      }
    }
    if (!part.isEmpty()) {
      parts.add(part);
    }
    return parts;
  }

  private static Query plain(Tx tx, List<NewJob> jobs, HandingOver handingOver) {
    List<Optional<Handoff>> handoffs = handingOver.forEach(jobs);
    return tx.sql(PLAIN)
        .with(
            jobs.stream().map(NewJob::id).toArray(String[]::new),
            jobs.stream().map(NewJob::pool).toArray(String[]::new),
            jobs.stream().map(NewJob::payload).toArray(String[]::new),
            tags(jobs),
            WorkItemStore.instants(jobs.stream().map(job -> job.options().runAt()).toList()),
            jobs.stream().map(job -> job.options().priority()).toArray(Integer[]::new),
            handoffs.stream()
                .map(handoff -> handoff.map(Handoff::token).orElse(null))
                .toArray(String[]::new),
            handoffs.stream()
                .map(handoff -> handoff.map(it -> (double) it.lock().toMillis()).orElse(null))
                .toArray(Double[]::new));
  }

  private static final String PLAIN =
      """
      with added as (
        insert into worker_queue
          (instance_id, pool, work_item, tags, visible_at, lock_token, locked_until, attempt_count)
        select j.id, j.pool, j.work_item, j.tags::text[],
               coalesce(j.run_at, now() - j.priority * interval '1 hour'), j.token,
               clock_timestamp() + j.lock * interval '1 millisecond',
               (j.token is not null)::integer
        from unnest(
            ?::text[], ?::text[], ?::text[], ?::text[], ?::timestamptz[], ?::integer[], ?::text[],
            ?::float8[])
          as j(id, pool, work_item, tags, run_at, priority, token, lock)
        returning id, instance_id, execution_id, activity_id, pool, work_item, visible_at,
                  lock_token, attempt_count)
      select v.earliest, v.notified, clock_timestamp() as now, a.id, a.instance_id,
             a.execution_id, a.activity_id, a.pool, a.work_item, a.visible_at, a.attempt_count,
             a.lock_token
      from (
          select min(visible_at) as earliest, VISIBLE as notified
          from added where lock_token is null) v
        left join added a on a.lock_token is not null
      """
          .replace("VISIBLE", NewWorkNotifier.visible("min(visible_at)"));

  /** What was inserted under a condition: the ids, and when the first without a limit may run. */
  private record Constrained(Set<String> ids, Optional<Instant> earliest) {}

  /**
   * Inserts jobs that have a unique key or a limit, in the order of their keys, so that two such
   * inserts do not wait for each other. Must be the last statement; see {@link ConcurrencyLimits}.
   */
  private static Constrained constrained(Tx tx, List<NewJob> unordered) {
    List<NewJob> jobs =
        unordered.stream()
            .sorted(
                Comparator.<NewJob, String>comparing(job -> job.pool())
                    .thenComparing(job -> job.options().unique().orElse("")))
            .toList();
    List<Map.Entry<String, Optional<Instant>>> rows =
        tx.sql(
                """
                insert into worker_queue
                  (instance_id, pool, work_item, tags, unique_key, limit_key, limit_most,
                   visible_at)
                select j.id, j.pool, j.work_item, j.tags::text[], j.unique_key, j.limit_key,
                       j.limit_most,
                       case when j.limit_key is not null then 'infinity'
                         else coalesce(j.run_at, now() - j.priority * interval '1 hour') end
                from unnest(
                    ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::integer[],
                    ?::timestamptz[], ?::integer[])
                  with ordinality
                  as j(id, pool, work_item, tags, unique_key, limit_key, limit_most, run_at,
                    priority, n)
                order by j.n
                on conflict (pool, unique_key) where unique_key is not null do nothing
                returning instance_id, case when limit_key is null then visible_at end as visible
                """)
            .with(
                jobs.stream().map(NewJob::id).toArray(String[]::new),
                jobs.stream().map(NewJob::pool).toArray(String[]::new),
                jobs.stream().map(NewJob::payload).toArray(String[]::new),
                tags(jobs),
                jobs.stream()
                    .map(job -> job.options().unique().orElse(null))
                    .toArray(String[]::new),
                jobs.stream()
                    .map(job -> job.options().limit().map(ConcurrencyLimit::key).orElse(null))
                    .toArray(String[]::new),
                jobs.stream()
                    .map(job -> job.options().limit().map(ConcurrencyLimit::atMost).orElse(null))
                    .toArray(Integer[]::new),
                WorkItemStore.instants(jobs.stream().map(job -> job.options().runAt()).toList()),
                jobs.stream().map(job -> job.options().priority()).toArray(Integer[]::new))
            .list(row -> Map.entry(row.text("instance_id"), row.maybeInstant("visible")));
    Set<String> ids = new HashSet<>();
    Optional<Instant> earliest = Optional.empty();
    for (Map.Entry<String, Optional<Instant>> row : rows) {
      boolean _ = ids.add(row.getKey());
      if (row.getValue().isPresent()
          && (earliest.isEmpty() || row.getValue().get().isBefore(earliest.get()))) {
        earliest = row.getValue();
      }
    }
    return new Constrained(ids, earliest);
  }

  private static String[] tags(List<NewJob> jobs) {
    return jobs.stream()
        .map(job -> JobStore.literal(job.options()).orElse(null))
        .toArray(String[]::new);
  }

  /** An item that was locked for a dispatcher of a pool. */
  private record PoolItem(String pool, WorkItem item) {}

  private record InsertedRow(Optional<Instant> earliest, Optional<ClaimedItem<PoolItem>> handed) {
    static InsertedRow of(ResultRow row) {
      return new InsertedRow(
          row.maybeInstant("earliest"),
          row.maybeText("lock_token")
              .map(token -> WorkItemStore.claimed(row, token))
              .map(
                  claimed ->
                      new ClaimedItem<>(
                          new PoolItem(row.text("pool"), claimed.item()),
                          claimed.visibleAt(),
                          claimed.now())));
    }
  }

  private static InsertResult<PoolItem> inserted(BatchResults batchResults) {
    List<InsertedRow> rows = batchResults.list(InsertedRow::of);
    return new InsertResult<>(
        rows.getFirst().earliest, rows.stream().flatMap(row -> row.handed.stream()).toList());
  }

  /** The promises of one insert to waiting dispatchers, by pool. */
  private final class HandingOver {
    private final Map<String, Handoff> promised = new HashMap<>();

    /** Promises jobs that may run at once. */
    private HandingOver(List<NewJob> plain) {
      Map<String, Integer> wanted = new HashMap<>();
      plain.stream()
          .filter(job -> job.options().runAt().isEmpty())
          .forEach(job -> wanted.merge(job.pool(), 1, Integer::sum));
      wanted.forEach(
          (pool, count) ->
              claimers
                  .apply(pool)
                  .map(claimer -> claimer.promise(count))
                  .filter(handoff -> handoff.count() > 0)
                  .ifPresent(handoff -> promised.put(pool, handoff)));
    }

    /** For each job the handoff under which it is inserted, if any. */
    List<Optional<Handoff>> forEach(List<NewJob> jobs) {
      Map<String, Integer> used = new HashMap<>();
      return jobs.stream()
          .map(
              job ->
                  Optional.ofNullable(promised.get(job.pool()))
                      .filter(_ -> job.options().runAt().isEmpty())
                      .filter(
                          handoff -> used.merge(job.pool(), 1, Integer::sum) <= handoff.count()))
          .toList();
    }

    void hand(InsertResult<PoolItem> inserted) {
      promised.forEach(
          (pool, handoff) ->
              claimer(pool)
                  .hand(
                      handoff,
                      inserted.handed().stream()
                          .filter(claimed -> claimed.item().pool.equals(pool))
                          .map(
                              claimed ->
                                  new ClaimedItem<>(
                                      claimed.item().item, claimed.visibleAt(), claimed.now()))
                          .toList()));
    }

    void cancel() {
      promised.forEach((pool, handoff) -> claimer(pool).cancel(handoff));
    }

    private QueueClaimer<WorkItem> claimer(String pool) {
      return claimers.apply(pool).orElseThrow();
    }
  }
}
