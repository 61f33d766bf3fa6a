package io.convoke.server.dispatch;

import io.convoke.engine.dispatch.KeySpace;
import io.convoke.engine.dispatch.Task;
import io.convoke.engine.dispatch.TaskListQueries;
import io.convoke.engine.dispatch.TaskState;
import io.convoke.engine.sql.Database;
import io.convoke.server.dispatch.TaskJournal.DeadLetterSettlement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Stores dead letters: tasks that ended FAILED or TIMEOUT without a stop request and were neither
 * requeued nor dismissed.
 */
final class DeadLetterStore {
  private final Database database;
  private final TaskJournal events;

  DeadLetterStore(Database database, TaskJournal events) {
    this.database = database;
    this.events = events;
  }

  /** A filter; empty fields match all. */
  record DeadLetterFilter(
      Optional<Long> userId,
      Optional<TaskState> state,
      Optional<String> region,
      Optional<String> channel,
      Optional<String> type) {}

  /** Whether a task failed or timed out without a stop request. */
  static boolean dead(Task task) {
    return !task.stop()
        && switch (task.state()) {
          case FAILED, TIMEOUT -> true;
          case PENDING, PROCESSING, SUCCESS -> false;
        };
  }

  /** Which of these ids tasks have. */
  Set<String> known(List<String> ids) {
    return Set.copyOf(
        database.read(
            tx ->
                tx.sql("select id from tasks where id = any(?)")
                    .with((Object) ids.toArray(String[]::new))
                    .list(row -> row.text("id"))));
  }

  /** Unsettled dead letters, newest first. */
  List<Task> list(
      DeadLetterFilter deadLetterFilter, Optional<TaskListQueries.TaskPosition> below, int limit) {
    StringBuilder sql =
        new StringBuilder(
            """
            select t.* from tasks t
            where t.state in ('FAILED', 'TIMEOUT') and t.desired = 'run'
              and not exists (select from task_settlements s where s.task_id = t.id)
            """);
    List<Object> values = new ArrayList<>();
    deadLetterFilter.userId().ifPresent(id -> also(sql, "and t.user_id = ? ", values, id));
    deadLetterFilter
        .state()
        .ifPresent(state -> also(sql, "and t.state = ? ", values, state.name()));
    deadLetterFilter
        .region()
        .ifPresent(
            region -> {
              if (region.equals(KeySpace.GLOBAL)) {
                sql.append("and t.region is null ");
              } else {
                also(sql, "and t.region = ? ", values, region);
              }
            });
    deadLetterFilter
        .channel()
        .ifPresent(channel -> also(sql, "and t.channel = ? ", values, channel));
    deadLetterFilter
        .type()
        .ifPresent(type -> also(sql, "and t.spec ->> 'type' = ? ", values, type));
    below.ifPresent(
        it -> also(sql, "and (t.created_at, t.id) < (?, ?) ", values, it.createdAt(), it.id()));
    also(sql, "order by t.created_at desc, t.id desc limit ?", values, limit);
    return database.read(
        tx -> tx.sql(sql.toString()).with(values.toArray()).list(TaskListQueries::task));
  }

  /** Tasks by id, in any state. */
  Map<String, Task> named(List<String> ids) {
    Map<String, Task> tasks = new HashMap<>();
    database
        .read(
            tx ->
                tx.sql("select * from tasks where id = any(?)")
                    .with((Object) ids.toArray(String[]::new))
                    .list(TaskListQueries::task))
        .forEach(task -> tasks.put(task.id(), task));
    return tasks;
  }

  /** Settlements of these tasks: the id of the replacing task, or empty. */
  Map<String, Optional<String>> settled(List<String> ids) {
    Map<String, Optional<String>> settled = new HashMap<>();
    List<String> _ =
        database.read(
            tx ->
                tx.sql("select task_id, requeued_as from task_settlements where task_id = any(?)")
                    .with((Object) ids.toArray(String[]::new))
                    .list(
                        resultRow -> {
                          settled.put(
                              resultRow.text("task_id"), resultRow.maybeText("requeued_as"));
                          return resultRow.text("task_id");
                        }));
    return settled;
  }

  /**
   * Writes settlements with their journal rows. A dismissed task may still be requeued; other
   * earlier settlements stay.
   */
  void settle(List<DeadLetterSettlement> settlements) {
    if (settlements.isEmpty()) {
      return;
    }
    database.run(
        tx -> {
          List<String> news =
              tx.sql(
                      """
                      insert into task_settlements as s (task_id, requeued_as, actor)
                      select distinct on (task_id) task_id, nullif(requeued_as, ''), actor
                      from unnest(?, ?, ?) as n(task_id, requeued_as, actor)
                      order by task_id
                      on conflict (task_id) do update
                        set requeued_as = excluded.requeued_as, actor = excluded.actor, at = now()
                        where s.requeued_as is null and excluded.requeued_as is not null
                      returning task_id
                      """)
                  .with(
                      texts(settlements, DeadLetterSettlement::taskId),
                      texts(settlements, it -> it.requeuedAs().orElse("")),
                      texts(settlements, DeadLetterSettlement::actor))
                  .list(resultRow -> resultRow.text("task_id"));
          Map<String, DeadLetterSettlement> byTask = new HashMap<>();
          settlements.forEach(it -> byTask.put(it.taskId(), it));
          events.settled(
              tx, news.stream().map(id -> Objects.requireNonNull(byTask.get(id))).toList());
        });
  }

  private static String[] texts(
      List<DeadLetterSettlement> settlements, Function<DeadLetterSettlement, String> text) {
    return settlements.stream().map(text).toArray(String[]::new);
  }

  private static void also(StringBuilder sql, String clause, List<Object> values, Object... bound) {
    sql.append(clause);
    values.addAll(List.of(bound));
  }
}
