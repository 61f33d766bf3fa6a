package io.convoke.engine.dispatch;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Row;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * Lists of the ledger's tasks, each as it stood when the ledger last heard of it: some milliseconds
 * behind Redis as long as anybody carries the outbox.
 */
public final class TaskLists {
  private final Database database;

  public TaskLists(Database database) {
    this.database = database;
  }

  /**
   * Which tasks are wanted, newest first; an empty part means all.
   *
   * @param region {@link Place#GLOBAL} for those of no region
   * @param type what kind of task
   * @param below the last one of the page before
   */
  public record Filter(
      Optional<Long> userId,
      Optional<TaskState> state,
      Optional<String> region,
      Optional<String> channel,
      Optional<String> type,
      Optional<Below> below,
      int limit) {

    /** Of any type. */
    public Filter(
        Optional<Long> userId,
        Optional<TaskState> state,
        Optional<String> region,
        Optional<String> channel,
        Optional<Below> below,
        int limit) {
      this(userId, state, region, channel, Optional.empty(), below, limit);
    }
  }

  /** Where a page ended. */
  public record Below(Instant createdAt, String id) {}

  public List<Task> list(Filter filter) {
    // Only what is asked for is in the statement, so that each form has a plan of its own.
    StringBuilder sql = new StringBuilder("select * from tasks where true");
    List<Object> values = new ArrayList<>();
    filter.userId().ifPresent(id -> also(sql, " and user_id = ?", values, id));
    filter.state().ifPresent(state -> also(sql, " and state = ?", values, state.name()));
    filter
        .region()
        .ifPresent(
            region -> {
              if (region.equals(Place.GLOBAL)) {
                sql.append(" and region is null");
              } else {
                also(sql, " and region = ?", values, region);
              }
            });
    filter.channel().ifPresent(channel -> also(sql, " and channel = ?", values, channel));
    filter.type().ifPresent(type -> also(sql, " and spec ->> 'type' = ?", values, type));
    filter
        .below()
        .ifPresent(
            below ->
                also(sql, " and (created_at, id) < (?, ?)", values, below.createdAt(), below.id()));
    also(sql, " order by created_at desc, id desc limit ?", values, filter.limit());
    return database.read(tx -> tx.sql(sql.toString()).with(values.toArray()).list(TaskLists::task));
  }

  /** A row of the ledger as a task; who holds it, and for how long, only Redis knows. */
  public static Task task(Row row) {
    int attempt = row.intAt("attempt");
    TaskState state = TaskState.valueOf(row.text("state"));
    return new Task(
        (ObjectNode) row.json("spec"),
        state,
        row.text("desired").equals("stop"),
        attempt,
        Math.max(0, state == TaskState.PENDING ? attempt : attempt - 1),
        row.instant("created_at"),
        row.instant("pending_at"),
        row.maybeInstant("processed_at"),
        row.maybeInstant("completed_at"),
        row.text("error"),
        row.maybeText("pod_id"),
        row.maybeInt("worker_id"),
        "",
        row.maybeText("region").orElse(Place.GLOBAL),
        Optional.empty());
  }

  private static void also(StringBuilder sql, String clause, List<Object> values, Object... bound) {
    sql.append(clause);
    values.addAll(List.of(bound));
  }
}
