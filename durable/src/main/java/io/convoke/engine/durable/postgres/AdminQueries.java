package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.QueueSnapshot.QueueKind;
import io.convoke.engine.durable.provider.ExecutionStatus;
import io.convoke.engine.durable.provider.HistoryEvent;
import io.convoke.engine.durable.provider.ProviderAdmin;
import io.convoke.engine.durable.provider.StartMessage;
import io.convoke.engine.durable.provider.TurnCommit.ExecutionOutcome;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.SqlWork;
import io.convoke.engine.sql.Tx;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The SQL of administration: reads, restarts, deletes, and pruning. */
final class AdminQueries implements ProviderAdmin {
  private static final String INSTANCE =
      """
      select i.instance_id, i.orchestration_name, i.orchestration_version, i.current_execution_id,
             e.status, e.output, i.parent_instance_id, i.custom_status, i.custom_status_version,
             i.created_at, i.updated_at
      from instances i
      join executions e
        on e.instance_id = i.instance_id and e.execution_id = i.current_execution_id
      """;

  private final Database database;
  private final QueueNotifier notifier;

  AdminQueries(Database database, QueueNotifier notifier) {
    this.database = database;
    this.notifier = notifier;
  }

  @Override
  public Optional<InstanceInfo> instance(String instanceId) {
    return read(
        "instance",
        tx ->
            tx.sql(INSTANCE + " where i.instance_id = ?")
                .with(instanceId)
                .first(AdminQueries::instance));
  }

  @Override
  public boolean isAwaited(String instanceId) {
    return read(
        "is_awaited",
        tx ->
            tx.sql(
                    "select exists (select from orchestrator_queue where instance_id = ?) as"
                        + " awaited")
                .with(instanceId)
                .one(resultRow -> resultRow.booleanAt("awaited")));
  }

  @Override
  public List<InstanceInfo> instances(
      Optional<ExecutionStatus> status, Optional<String> name, Optional<String> after, int limit) {
    return read(
        "instances",
        tx ->
            tx.sql(
                    INSTANCE
                        + """
                         where (?::text is null or e.status = ?)
                           and (?::text is null or i.orchestration_name = ?)
                           and (?::text is null or (i.created_at, i.instance_id) <
                             (select created_at, instance_id from instances where instance_id = ?))
                         order by i.created_at desc, i.instance_id desc limit ?
                        """)
                .with(
                    status.map(ExecutionStatus::wireName),
                    status.map(ExecutionStatus::wireName),
                    name,
                    name,
                    after,
                    after,
                    limit)
                .list(AdminQueries::instance));
  }

  @Override
  public List<InstanceInfo> instancesBetween(String after, String before, String name, int limit) {
    return read("instances_between", tx -> instancesBetween(tx, after, before, name, limit));
  }

  static List<InstanceInfo> instancesBetween(
      Tx tx, String after, String before, String name, int limit) {
    return tx.sql(
            INSTANCE
                + """
                 where i.instance_id > ? and i.instance_id < ? and i.orchestration_name = ?
                order by i.instance_id limit ?
                """)
        .with(after, before, name, limit)
        .list(AdminQueries::instance);
  }

  @Override
  public Map<String, ExecutionOutcome> ended(Set<String> instanceIds) {
    List<InstanceInfo> ended =
        read(
            "ended_instances",
            tx ->
                tx.sql(
                        INSTANCE
                            + """
                             where i.instance_id = any(?) and e.status in ('Completed', 'Failed')
                            """)
                    .with((Object) instanceIds.toArray(String[]::new))
                    .list(AdminQueries::instance));
    return ended.stream()
        .collect(
            Collectors.toMap(
                InstanceInfo::instanceId,
                one -> new ExecutionOutcome(one.status(), one.output().orElse("null"))));
  }

  @Override
  public List<ExecutionInfo> executions(String instanceId) {
    return read(
        "executions",
        tx ->
            tx.sql(
                    """
                    select execution_id, status, output, started_at, completed_at from executions
                    where instance_id = ? order by execution_id
                    """)
                .with(instanceId)
                .list(
                    resultRow ->
                        new ExecutionInfo(
                            resultRow.longAt("execution_id"),
                            ExecutionStatus.of(resultRow.text("status")),
                            resultRow.maybeText("output"),
                            resultRow.instant("started_at"),
                            resultRow.maybeInstant("completed_at"))));
  }

  @Override
  public List<HistoryEvent> history(String instanceId, long executionId) {
    return read(
        "history",
        tx ->
            tx.sql(
                    """
                    select event_id, event_type, event_data from history
                    where instance_id = ? and execution_id = ? order by event_id
                    """)
                .with(instanceId, executionId)
                .list(AdminQueries::event));
  }

  List<HistoryEvent> current(String instanceId) {
    return read(
        "read",
        tx ->
            tx.sql(
                    """
                    select event_id, event_type, event_data from history
                    where instance_id = ? and execution_id = (
                      select current_execution_id from instances where instance_id = ?)
                    order by event_id
                    """)
                .with(instanceId, instanceId)
                .list(AdminQueries::event));
  }

  @Override
  public List<String> children(String instanceId) {
    return read("children", tx -> children(tx, instanceId));
  }

  static List<String> children(Tx tx, String instanceId) {
    return tx.sql(
            """
            select instance_id from instances where parent_instance_id = ?
            order by created_at, instance_id
            """)
        .with(instanceId)
        .list(resultRow -> resultRow.text("instance_id"));
  }

  @Override
  public ProviderMetrics metrics() {
    return read(
        "metrics",
        tx ->
            tx.sql(
                    """
                    select count(*) as instances,
                           count(*) filter (
                             where e.status in ('Running', 'ContinuedAsNew')) as running,
                           count(*) filter (where e.status = 'Completed') as completed,
                           count(*) filter (where e.status = 'Failed') as failed,
                           (select count(*) from orchestrator_queue) as messages,
                           (select count(*) from worker_queue) as work_items
                    from instances i join executions e
                      on e.instance_id = i.instance_id and e.execution_id = i.current_execution_id
                    """)
                .one(
                    resultRow ->
                        new ProviderMetrics(
                            resultRow.longAt("instances"),
                            resultRow.longAt("running"),
                            resultRow.longAt("completed"),
                            resultRow.longAt("failed"),
                            resultRow.longAt("messages"),
                            resultRow.longAt("work_items"))));
  }

  /** The time of the store's clock, for a node that has not read it yet. */
  static Instant now(Database database) {
    return database.read(
        tx -> tx.sql("select clock_timestamp() as now").one(resultRow -> resultRow.instant("now")));
  }

  @Override
  public boolean restart(String instanceId, long failedExecution, StartMessage message) {
    Optional<Instant> visibleAt = Optional.of(Instant.EPOCH);
    try {
      visibleAt = restarted(instanceId, failedExecution, message);
      return visibleAt.isPresent();
    } finally {
      // Also after a failure: the commit may have happened.
      visibleAt.ifPresent(at -> notifier.wrote(QueueKind.ORCHESTRATOR, at));
    }
  }

  /** From when on the message may be claimed; empty if that execution has not failed or is past. */
  private Optional<Instant> restarted(
      String instanceId, long failedExecution, StartMessage message) {
    return write(
        "restart",
        tx ->
            tx.sql(
                    """
                    with again as (
                      update instances i set current_execution_id = i.current_execution_id + 1,
                        updated_at = now()
                      from executions e
                      where i.instance_id = ? and i.current_execution_id = ?
                        and e.instance_id = i.instance_id
                        and e.execution_id = i.current_execution_id and e.status = 'Failed'
                      returning i.instance_id, i.current_execution_id),
                    execution as (
                      insert into executions (instance_id, execution_id)
                      select instance_id, current_execution_id from again)
                    insert into orchestrator_queue (instance_id, work_item)
                    select instance_id, ?::text || to_jsonb(now())::text || ?::text from again
                    returning visible_at
                    """)
                .with(instanceId, failedExecution, message.before(), message.after())
                .first(resultRow -> resultRow.instant("visible_at")));
  }

  @Override
  public boolean delete(String instanceId, boolean force) {
    return write(
        "delete",
        tx -> {
          boolean removed =
              tx.sql(
                          """
                          delete from instances i where i.instance_id = ?
                            and (? or not exists (
                              select from executions e where e.instance_id = i.instance_id
                                and e.execution_id = i.current_execution_id
                                and e.status in ('Running', 'ContinuedAsNew')))
                          """)
                      .with(instanceId, force)
                      .update()
                  == 1;
          if (removed) {
            removeTraces(tx, List.of(instanceId));
          }
          return removed;
        });
  }

  @Override
  public int pruneExecutions(Duration olderThan, int limit) {
    return write("prune_executions", tx -> pruneExecutions(tx, olderThan, limit));
  }

  private static int pruneExecutions(Tx tx, Duration olderThan, int limit) {
    return tx.sql(
            """
            with old as (
              delete from executions where (instance_id, execution_id) in (
                select e.instance_id, e.execution_id
                from instances i join executions e on e.instance_id = i.instance_id
                  and e.execution_id < i.current_execution_id
                where i.current_execution_id > 1 and e.status <> 'Running'
                  and e.completed_at < now() - ?::float8 * interval '1 millisecond'
                limit ?)
              returning instance_id, execution_id),
            past as (
              delete from history h using old
              where h.instance_id = old.instance_id
                and h.execution_id = old.execution_id)
            select instance_id from old
            """)
        .with(olderThan, limit)
        .list(resultRow -> resultRow.text("instance_id"))
        .size();
  }

  @Override
  public int pruneInstances(Duration olderThan, int limit) {
    return write("prune_instances", tx -> pruneInstances(tx, olderThan, limit));
  }

  /** Deletes in the order of creation, which has an index; few old instances still run. */
  private static int pruneInstances(Tx tx, Duration olderThan, int limit) {
    List<String> ended =
        tx.sql(
                """
                delete from instances where instance_id in (
                  select i.instance_id from instances i join executions e
                    on e.instance_id = i.instance_id
                    and e.execution_id = i.current_execution_id
                  where i.created_at < now() - ?::float8 * interval '1 millisecond'
                    and e.status in ('Completed', 'Failed')
                    and e.completed_at < now() - ?::float8 * interval '1 millisecond'
                  order by i.created_at, i.instance_id limit ?
                  for update of i skip locked)
                returning instance_id
                """)
            .with(olderThan, olderThan, limit)
            .list(resultRow -> resultRow.text("instance_id"));
    removeTraces(tx, ended);
    return ended.size();
  }

  @Override
  public int pruneEnded(Duration olderThan, int limit) {
    return write(
        "prune_ended",
        tx -> {
          boolean alone =
              tx.sql(
                      """
                      select pg_try_advisory_xact_lock(
                        hashtextextended('convoke.durable.prune/' || current_schema(), 0)) as alone
                      """)
                  .one(resultRow -> resultRow.booleanAt("alone"));
          return alone
              ? pruneInstances(tx, olderThan, limit)
                  + pruneExecutions(tx, olderThan, limit)
                  + pruneDeadJobs(tx, olderThan, limit)
              : 0;
        });
  }

  private static int pruneDeadJobs(Tx tx, Duration olderThan, int limit) {
    return tx.sql(
            """
            delete from dead_jobs where id in (
              select id from dead_jobs
              where died_at < now() - ?::float8 * interval '1 millisecond'
              order by died_at, id limit ?)
            """)
        .with(olderThan, limit)
        .update();
  }

  @Override
  public void delete(String instanceId) {
    int _ =
        write(
            "delete",
            tx ->
                tx.sql(
                        """
                        delete from instances i
                        where i.instance_id = ? and i.orchestration_name = ''
                          and i.lock_token is null
                          and not exists (
                            select from executions e where e.instance_id = i.instance_id)
                        """)
                    .with(instanceId)
                    .update());
  }

  private <T> T read(String operation, SqlWork<T> work) {
    return PostgresProvider.doing(operation, () -> database.read(work));
  }

  private <T> T write(String operation, SqlWork<T> work) {
    return PostgresProvider.doing(operation, () -> database.transaction(work));
  }

  private static void removeTraces(Tx tx, List<String> instances) {
    Object ids = instances.toArray(String[]::new);
    for (String table : List.of("executions", "history", "orchestrator_queue", "worker_queue")) {
      int _ = tx.sql("delete from " + table + " where instance_id = any(?)").with(ids).update();
    }
  }

  private static HistoryEvent event(ResultRow resultRow) {
    return new HistoryEvent(
        resultRow.longAt("event_id"), resultRow.text("event_type"), resultRow.text("event_data"));
  }

  private static InstanceInfo instance(ResultRow resultRow) {
    return new InstanceInfo(
        resultRow.text("instance_id"),
        resultRow.text("orchestration_name"),
        resultRow.text("orchestration_version"),
        resultRow.longAt("current_execution_id"),
        ExecutionStatus.of(resultRow.text("status")),
        resultRow.maybeText("output"),
        resultRow.maybeText("parent_instance_id"),
        resultRow.maybeText("custom_status"),
        resultRow.longAt("custom_status_version"),
        resultRow.instant("created_at"),
        resultRow.instant("updated_at"));
  }
}
