package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.DeadJob;
import io.convoke.engine.durable.EnqueueOptions;
import io.convoke.engine.durable.JobInfo;
import io.convoke.engine.durable.JobInfo.JobState;
import io.convoke.engine.durable.JobQuery;
import io.convoke.engine.durable.postgres.QueueCommits.LockRef;
import io.convoke.engine.durable.provider.JobRepository;
import io.convoke.engine.durable.provider.LockStatus;
import io.convoke.engine.durable.provider.NewJob;
import io.convoke.engine.durable.runtime.JobPayload;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.GroupCommit;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.Tx;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Jobs in {@code worker_queue}, and those that failed for good in {@code dead_jobs}. */
final class JobStore implements JobRepository {
  private static final int BATCH_MAX = 500;
  private static final int BURIALS_MAX = 100;
  private static final String TAKEN = "23505";

  private final Database database;
  private final QueueNotifier notifier;
  private final SchemaNames schemaNames;
  private final JobInserts inserts;
  private final GroupCommit<NewJob, Boolean> enqueuing;
  private final GroupCommit<Burial, LockStatus> burying;

  /** The end of a job whose last attempt failed. */
  private record Burial(LockRef ref, String error) {}

  JobStore(Database database, QueueNotifier notifier, SchemaNames schemaNames, JobInserts inserts) {
    this.database = database;
    this.notifier = notifier;
    this.schemaNames = schemaNames;
    this.inserts = inserts;
    this.enqueuing = new GroupCommit<>(BATCH_MAX, 2, inserts::insert);
    this.burying = new GroupCommit<>(BURIALS_MAX, 1, this::bury);
  }

  @Override
  public boolean enqueue(NewJob newJob) {
    return PostgresProvider.doing("enqueue_job", () -> enqueuing.submit(newJob));
  }

  @Override
  public void enqueueAll(List<NewJob> newJobs) {
    PostgresProvider.doing(
        "enqueue_jobs",
        () -> {
          inserts.insertAll(newJobs);
          return true;
        });
  }

  @Override
  public boolean enqueue(Connection connection, NewJob newJob) throws SQLException {
    return JobInserts.insert(connection, schemaNames, newJob);
  }

  @Override
  public LockStatus bury(String lockToken, String error) {
    return PostgresProvider.doing(
        "bury_job",
        () ->
            LockRef.of(lockToken)
                .map(ref -> burying.submit(new Burial(ref, error.replace("\0", ""))))
                .orElse(LockStatus.LOST));
  }

  private List<LockStatus> bury(List<Burial> burials) {
    Set<LockRef> buried =
        new HashSet<>(
            database.read(
                tx ->
                    tx.sql(
                            """
                            with gone as (
                              delete from worker_queue q
                              using unnest(?::bigint[], ?::text[], ?::text[])
                                as b(id, token, error)
                              where q.id = any (array[b.id]) and q.lock_token = b.token
                                and q.locked_until > clock_timestamp()
                              returning q.id, b.token, b.error, q.instance_id, q.pool, q.work_item,
                                        q.attempt_count, q.unique_key, q.limit_key, q.limit_most,
                                        q.tags, q.created_at),
                            dead as (
                              insert into dead_jobs
                                (id, name, work_item, error, attempts, unique_key, limit_key,
                                 limit_most, tags, enqueued_at)
                              select instance_id, substr(pool, 5), work_item, error, attempt_count,
                                     unique_key, limit_key, limit_most, tags, created_at
                              from gone)
                            select id, token from gone
                            """)
                        .with(
                            burials.stream()
                                .map(burial -> WorkItemStore.id(burial.ref))
                                .toArray(Long[]::new),
                            burials.stream()
                                .map(burial -> burial.ref.claim())
                                .toArray(String[]::new),
                            burials.stream().map(Burial::error).toArray(String[]::new))
                        .list(WorkItemStore::ref)));
    return burials.stream()
        .map(burial -> buried.contains(burial.ref) ? LockStatus.HELD : LockStatus.LOST)
        .toList();
  }

  @Override
  public boolean cancel(String id) {
    return PostgresProvider.doing(
        "cancel_job",
        () ->
            database.read(
                tx ->
                    tx.sql(
                                """
                                delete from worker_queue
                                where instance_id = ? and pool like 'job:%'
                                """)
                            .with(id)
                            .update()
                        > 0));
  }

  @Override
  public Optional<JobInfo> job(String id) {
    return PostgresProvider.doing(
        "job",
        () ->
            database.read(
                tx ->
                    tx.sql(
                            """
                            select * from open_jobs where id = ?
                            """)
                        .with(id)
                        .first(JobStore::info)));
  }

  @Override
  public List<JobInfo> jobs(JobQuery jobQuery) {
    return PostgresProvider.doing(
        "jobs",
        () ->
            database.transaction(
                tx -> {
                  planFreely(tx);
                  return tx.sql(
                          """
                          select * from open_jobs
                          where (?::text is null or name = ?) and (?::text is null or state = ?)
                            and (?::text[] is null or tags @> ?::text[])
                          order by position desc limit ?
                          """)
                      .with(
                          jobQuery.name(),
                          jobQuery.name(),
                          jobQuery.state().map(JobStore::name),
                          jobQuery.state().map(JobStore::name),
                          tags(jobQuery),
                          tags(jobQuery),
                          jobQuery.limit())
                      .list(JobStore::info);
                }));
  }

  @Override
  public List<DeadJob> dead(JobQuery jobQuery) {
    return PostgresProvider.doing(
        "dead_jobs",
        () ->
            database.transaction(
                tx -> {
                  planFreely(tx);
                  return tx.sql(
                          """
                          select id, name, work_item, error, attempts, tags, enqueued_at, died_at
                          from dead_jobs
                          where (?::text is null or name = ?)
                            and (?::text[] is null or tags @> ?::text[])
                          order by died_at desc, id desc limit ?
                          """)
                      .with(
                          jobQuery.name(),
                          jobQuery.name(),
                          tags(jobQuery),
                          tags(jobQuery),
                          jobQuery.limit())
                      .list(JobStore::dead);
                }));
  }

  @Override
  public boolean requeue(String id) {
    return PostgresProvider.doing("requeue_job", () -> requeueFree(id));
  }

  private boolean requeueFree(String id) {
    try {
      Optional<Map.Entry<String, Instant>> back =
          database.read(
              tx ->
                  tx.sql(
                          """
                          with back as (delete from dead_jobs where id = ? returning *)
                          insert into worker_queue
                            (instance_id, pool, work_item, unique_key, limit_key, limit_most, tags,
                             created_at, visible_at)
                          select id, 'job:' || name, work_item, unique_key, limit_key, limit_most,
                                 tags, enqueued_at,
                                 case when limit_key is null then now() else 'infinity' end
                          from back
                          returning pool, now() as now
                          """)
                      .with(id)
                      .first(row -> Map.entry(row.text("pool"), row.instant("now"))));
      back.ifPresent(
          job -> notifier.wrote(new WakeTarget.JobPools(Set.of(job.getKey())), job.getValue()));
      return back.isPresent();
    } catch (SqlFailure e) {
      if (e.sqlState().equals(TAKEN)) {
        return false;
      }
      throw e;
    }
  }

  @Override
  public boolean deleteDead(String id) {
    return PostgresProvider.doing(
        "delete_dead_job",
        () ->
            database.read(
                tx -> tx.sql("delete from dead_jobs where id = ?").with(id).update() > 0));
  }

  /**
   * Searches are rare and read many rows; they are planned with their parameters and statistics.
   */
  private static void planFreely(Tx tx) {
    boolean _ =
        tx.sql(
                """
                select set_config('enable_seqscan', 'on', true) is not null
                   and set_config('enable_bitmapscan', 'on', true) is not null
                   and set_config('plan_cache_mode', 'force_custom_plan', true) is not null as set
                """)
            .one(row -> row.booleanAt("set"));
  }

  private static Optional<String[]> tags(JobQuery jobQuery) {
    return Optional.of(jobQuery.tags())
        .filter(tags -> !tags.isEmpty())
        .map(tags -> tags.toArray(String[]::new));
  }

  /** The literal of a list as a {@code text[]}; empty for an empty list. */
  static Optional<String> literal(EnqueueOptions options) {
    if (options.tags().isEmpty()) {
      return Optional.empty();
    }
    StringBuilder literal = new StringBuilder("{");
    for (String tag : options.tags()) {
      literal
          .append(literal.length() > 1 ? "," : "")
          .append('"')
          .append(tag.replace("\\", "\\\\").replace("\"", "\\\""))
          .append('"');
    }
    return Optional.of(literal.append('}').toString());
  }

  private static String name(JobState jobState) {
    return jobState.name().toLowerCase(Locale.ROOT);
  }

  private static List<String> tagsOf(ResultRow row) {
    return row.maybeText("tags").isPresent() ? row.texts("tags") : List.of();
  }

  private static JobInfo info(ResultRow row) {
    return new JobInfo(
        row.text("id"),
        row.text("name"),
        JobState.valueOf(row.text("state").toUpperCase(Locale.ROOT)),
        JobPayload.inputOf(row.text("work_item")),
        row.intAt("attempts"),
        tagsOf(row),
        row.instant("enqueued_at"),
        row.maybeInstant("run_at"));
  }

  private static DeadJob dead(ResultRow row) {
    return new DeadJob(
        row.text("id"),
        row.text("name"),
        JobPayload.inputOf(row.text("work_item")),
        row.text("error"),
        row.intAt("attempts"),
        tagsOf(row),
        row.instant("enqueued_at"),
        row.instant("died_at"));
  }
}
