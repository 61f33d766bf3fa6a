package io.convoke.server.workflows;

import io.convoke.engine.durable.provider.ExecutionStatus;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.ResultRow;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** The SQL of workflows and their owners. */
final class WorkflowStore {
  private static final String COLUMNS =
      """
      i.instance_id, i.orchestration_name, i.current_execution_id, e.status, e.output,
      i.parent_instance_id, i.custom_status, o.user_id, o.meeting_id, i.created_at, i.updated_at,
      e.completed_at
      """;

  private final Database database;

  WorkflowStore(Database database) {
    this.database = database;
  }

  /**
   * The current state of a workflow.
   *
   * @param executionId counts from 1; higher after a retry or continue-as-new
   * @param output its result, once it is completed
   * @param error why it failed
   * @param progress as the workflow reports it
   * @param userId the owner; empty for workflows that no user started
   */
  record WorkflowView(
      String id,
      String name,
      String status,
      long executionId,
      Optional<JsonNode> output,
      Optional<String> error,
      Optional<String> parent,
      Optional<String> progress,
      Optional<Long> userId,
      Optional<Long> meetingId,
      Instant createdAt,
      Instant updatedAt,
      Optional<Instant> completedAt) {

    static WorkflowView of(ResultRow resultRow) {
      ExecutionStatus execution = ExecutionStatus.of(resultRow.text("status"));
      // Between two executions a workflow has not ended.
      ExecutionStatus status =
          execution == ExecutionStatus.CONTINUED_AS_NEW ? ExecutionStatus.RUNNING : execution;
      Optional<String> output = resultRow.maybeText("output");
      return new WorkflowView(
          resultRow.text("instance_id"),
          resultRow.text("orchestration_name"),
          status.name().toLowerCase(Locale.ROOT),
          resultRow.longAt("current_execution_id"),
          output.filter(_ -> status == ExecutionStatus.COMPLETED).map(WorkflowView::tree),
          output.filter(_ -> status == ExecutionStatus.FAILED),
          resultRow.maybeText("parent_instance_id"),
          resultRow.maybeText("custom_status"),
          resultRow.maybeLong("user_id"),
          resultRow.maybeLong("meeting_id"),
          resultRow.instant("created_at"),
          resultRow.instant("updated_at"),
          resultRow.maybeInstant("completed_at").filter(_ -> status != ExecutionStatus.RUNNING));
    }

    /** The column may hold any JSON. */
    private static JsonNode tree(String text) {
      try {
        return Json.read(text);
      } catch (JacksonException e) {
        return Json.tree(text);
      }
    }
  }

  /**
   * An activity that has not ended.
   *
   * @param order the event that ordered it
   * @param attempt the one that runs, or the last; 0 before the first
   * @param running whether a worker runs it now
   * @param dueAt when it may be claimed
   */
  record PendingActivity(
      long executionId, long order, int attempt, boolean running, Instant dueAt) {}

  /** The filter of a list, newest first, after the cursor of an earlier page. */
  record WorkflowFilter(
      Optional<Long> owner,
      Optional<ExecutionStatus> status,
      Optional<String> name,
      Optional<WorkflowPosition> below,
      int limit) {}

  /** Where a page ended. */
  record WorkflowPosition(Instant createdAt, String id) {}

  List<WorkflowView> list(WorkflowFilter workflowFilter) {
    String owned = workflowFilter.owner().isPresent() ? " join" : " left join";
    return database.read(
        tx ->
            tx.sql(
                    "select "
                        + COLUMNS
                        + " from instances i"
                        + owned
                        + """
                         workflow_owners o on o.instance_id = i.instance_id
                        join executions e on e.instance_id = i.instance_id
                          and e.execution_id = i.current_execution_id
                        where (?::bigint is null or o.user_id = ?)
                          and (?::text is null or ? = case e.status
                            when 'ContinuedAsNew' then 'Running' else e.status end)
                          and (?::text is null or i.orchestration_name = ?)
                          and (?::timestamptz is null or (i.created_at, i.instance_id) < (?, ?))
                        order by i.created_at desc, i.instance_id desc limit ?
                        """)
                .with(
                    workflowFilter.owner(),
                    workflowFilter.owner(),
                    workflowFilter.status().map(ExecutionStatus::wireName),
                    workflowFilter.status().map(ExecutionStatus::wireName),
                    workflowFilter.name(),
                    workflowFilter.name(),
                    workflowFilter.below().map(WorkflowPosition::createdAt),
                    workflowFilter.below().map(WorkflowPosition::createdAt),
                    workflowFilter.below().map(WorkflowPosition::id),
                    workflowFilter.limit())
                .list(WorkflowView::of));
  }

  /**
   * Deletes the owners of pruned workflows; returns the number, at most {@code limit}. An owner is
   * written before its workflow begins, so recent rows, and rows of queued starts, stay.
   */
  int deleteOrphanedOwners(Duration olderThan, int limit) {
    return database.transaction(
        tx ->
            tx.sql(
                    """
                    delete from workflow_owners where instance_id in (
                      select o.instance_id from workflow_owners o
                      where o.created_at < now() - ?::float8 * interval '1 millisecond'
                        and not exists (
                          select from instances i where i.instance_id = o.instance_id)
                        and not exists (
                          select from orchestrator_queue q where q.instance_id = o.instance_id)
                      limit ?)
                    """)
                .with(olderThan, limit)
                .update());
  }

  /** The activities of a workflow that have not ended, at most {@code limit}. */
  List<PendingActivity> pending(String id, int limit) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select execution_id, activity_id, attempt_count, visible_at,
                      coalesce(locked_until > now(), false) as running
                    from worker_queue where instance_id = ? order by id limit ?
                    """)
                .with(id, limit)
                .list(
                    resultRow ->
                        new PendingActivity(
                            resultRow.longAt("execution_id"),
                            resultRow.longAt("activity_id"),
                            resultRow.intAt("attempt_count"),
                            resultRow.booleanAt("running"),
                            resultRow.instant("visible_at"))));
  }

  Optional<WorkflowView> find(String id) {
    return database.read(
        tx ->
            tx.sql(
                    "select "
                        + COLUMNS
                        + """
                         from instances i
                        left join workflow_owners o on o.instance_id = i.instance_id
                        join executions e on e.instance_id = i.instance_id
                          and e.execution_id = i.current_execution_id
                        where i.instance_id = ?
                        """)
                .with(id)
                .first(WorkflowView::of));
  }
}
