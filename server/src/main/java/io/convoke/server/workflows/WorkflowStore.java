package io.convoke.server.workflows;

import io.convoke.engine.durable.provider.ExecutionStatus;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Row;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** The SQL of looking at workflows and of whose they are. */
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
   * The current state of a workflow. @param executionId counts from 1; higher after a retry or
   * continue-as-new
   *
   * @param output its result, once it is completed @param error why it failed @param progress as
   *     the workflow reports it @param userId the owner; empty for workflows that no user started
   */
  record View(
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

    static View of(Row row) {
      ExecutionStatus status = ExecutionStatus.of(row.text("status"));
      Optional<String> output = row.maybeText("output");
      return new View(
          row.text("instance_id"),
          row.text("orchestration_name"),
          status.name().toLowerCase(Locale.ROOT),
          row.longAt("current_execution_id"),
          output.filter(_ -> status == ExecutionStatus.COMPLETED).map(View::tree),
          output.filter(_ -> status == ExecutionStatus.FAILED),
          row.maybeText("parent_instance_id"),
          row.maybeText("custom_status"),
          row.maybeLong("user_id"),
          row.maybeLong("meeting_id"),
          row.instant("created_at"),
          row.instant("updated_at"),
          row.maybeInstant("completed_at"));
    }

    /** A writer of rows may have left anything. */
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
  record Pending(long executionId, long order, int attempt, boolean running, Instant dueAt) {}

  /** The filter of a list, newest first, after the cursor of an earlier page. */
  record Filter(
      Optional<Long> owner,
      Optional<ExecutionStatus> status,
      Optional<String> name,
      Optional<Place> below,
      int limit) {}

  /** Where a page ended. */
  record Place(Instant createdAt, String id) {}

  List<View> list(Filter filter) {
    String owned = filter.owner().isPresent() ? " join" : " left join";
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
                          and (?::text is null or e.status = ?)
                          and (?::text is null or i.orchestration_name = ?)
                          and (?::timestamptz is null or (i.created_at, i.instance_id) < (?, ?))
                        order by i.created_at desc, i.instance_id desc limit ?
                        """)
                .with(
                    filter.owner(),
                    filter.owner(),
                    filter.status().map(ExecutionStatus::word),
                    filter.status().map(ExecutionStatus::word),
                    filter.name(),
                    filter.name(),
                    filter.below().map(Place::createdAt),
                    filter.below().map(Place::createdAt),
                    filter.below().map(Place::id),
                    filter.limit())
                .list(View::of));
  }

  /**
   * Removes whose the workflows were that are there no more; answers how many, at most {@code
   * limit}. An order is written before its workflow begins, so young ones are left alone, and those
   * whose beginning is still queued.
   */
  int disown(Duration olderThan, int limit) {
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
  List<Pending> pending(String id, int limit) {
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
                    row ->
                        new Pending(
                            row.longAt("execution_id"),
                            row.longAt("activity_id"),
                            row.intAt("attempt_count"),
                            row.booleanAt("running"),
                            row.instant("visible_at"))));
  }

  Optional<View> find(String id) {
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
                .first(View::of));
  }
}
