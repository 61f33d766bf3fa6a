package io.convoke.engine.dispatch;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.ResultRow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * Lists tasks of the database in their last recorded state, some milliseconds behind Redis while a
 * server relays the outbox.
 */
public final class TaskListQueries {
  private final Database database;

  public TaskListQueries(Database database) {
    this.database = database;
  }

  /**
   * A filter of tasks, newest first; empty fields match all.
   *
   * @param region {@link KeySpace#GLOBAL} for tasks without a region
   * @param type task type
   * @param below last task of the previous page
   */
  public record TaskFilter(
      Optional<Long> userId,
      Optional<TaskState> state,
      Optional<String> region,
      Optional<String> channel,
      Optional<String> type,
      Optional<TaskPosition> below,
      int limit) {

    /** For all types. */
    public TaskFilter(
        Optional<Long> userId,
        Optional<TaskState> state,
        Optional<String> region,
        Optional<String> channel,
        Optional<TaskPosition> below,
        int limit) {
      this(userId, state, region, channel, Optional.empty(), below, limit);
    }
  }

  /** The last task of a page. */
  public record TaskPosition(Instant createdAt, String id) {}

  /** Whether a request of this owner, or of none, was accepted. */
  public boolean hasRequest(String requestId, Optional<Long> userId) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select exists (
                      select from tasks where request_id = ? and coalesce(user_id, 0) = ?) as accepted
                    """)
                .with(requestId, userId.orElse(0L))
                .one(resultRow -> resultRow.booleanAt("accepted")));
  }

  public List<Task> list(TaskFilter taskFilter) {
    // Only the given conditions are in the statement, so that each form has its own plan.
    StringBuilder sql = new StringBuilder("select * from tasks where true");
    List<Object> values = new ArrayList<>();
    taskFilter.userId().ifPresent(id -> also(sql, " and user_id = ?", values, id));
    taskFilter
        .state()
        .ifPresent(
            state -> {
              also(sql, " and state = ?", values, state.name());
              if (!state.terminal()) {
                // Implied. It is the condition of the indexes of open tasks, which are few.
                sql.append(" and completed_at is null");
              }
            });
    taskFilter
        .region()
        .ifPresent(
            region -> {
              if (region.equals(KeySpace.GLOBAL)) {
                sql.append(" and region is null");
              } else {
                also(sql, " and region = ?", values, region);
              }
            });
    taskFilter.channel().ifPresent(channel -> also(sql, " and channel = ?", values, channel));
    taskFilter.type().ifPresent(type -> also(sql, " and spec ->> 'type' = ?", values, type));
    taskFilter
        .below()
        .ifPresent(
            taskPosition ->
                also(
                    sql,
                    " and (created_at, id) < (?, ?)",
                    values,
                    taskPosition.createdAt(),
                    taskPosition.id()));
    also(sql, " order by created_at desc, id desc limit ?", values, taskFilter.limit());
    return database.read(
        tx -> tx.sql(sql.toString()).with(values.toArray()).list(TaskListQueries::task));
  }

  /** Reads a row as a task; only Redis knows its lease. One that ended as it waited has no pod. */
  public static Task task(ResultRow resultRow) {
    int attempt = resultRow.intAt("attempt");
    Optional<String> pod = resultRow.maybeText("pod_id");
    return new Task(
        (ObjectNode) resultRow.json("spec"),
        TaskState.valueOf(resultRow.text("state")),
        resultRow.text("desired").equals("stop"),
        attempt,
        pod.isPresent() ? attempt - 1 : attempt,
        resultRow.instant("created_at"),
        resultRow.instant("pending_at"),
        resultRow.maybeInstant("processed_at"),
        resultRow.maybeInstant("completed_at"),
        resultRow.text("error"),
        pod,
        resultRow.maybeInt("worker_id"),
        "",
        resultRow.maybeText("region").orElse(KeySpace.GLOBAL),
        Optional.empty());
  }

  private static void also(StringBuilder sql, String clause, List<Object> values, Object... bound) {
    sql.append(clause);
    values.addAll(List.of(bound));
  }
}
