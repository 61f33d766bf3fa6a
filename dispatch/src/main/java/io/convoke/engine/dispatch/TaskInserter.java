package io.convoke.engine.dispatch;

import io.convoke.engine.dispatch.DurableTaskStore.TaskInsertResult;
import io.convoke.engine.sql.Tx;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Inserts tasks into the database in one statement, and finds the conflicts of those that were not
 * inserted.
 */
final class TaskInserter {
  private TaskInserter() {}

  /** Returns the result of each task, in order. */
  static List<TaskInsertResult> accept(Tx tx, List<NewTask> batch) {
    // Sorted, so that two servers' batches with common requests do not deadlock.
    List<NewTask> sorted =
        batch.stream().sorted(Comparator.comparing(NewTask::ownRequest)).toList();
    Set<TaskIdClaim> fresh = new HashSet<>(insert(tx, sorted));
    List<ExistingTask> present = fresh.size() == batch.size() ? List.of() : present(tx, batch);
    return batch.stream()
        .map(
            task ->
                fresh.remove(TaskIdClaim.of(task))
                    ? new TaskInsertResult.TaskInserted()
                    : obstacle(task, present))
        .toList();
  }

  /** The owner of an inserted id; one of several tasks with the same id gets it. */
  private record TaskIdClaim(String id, String requestId, Optional<Long> userId) {
    static TaskIdClaim of(NewTask task) {
      return new TaskIdClaim(task.id(), task.requestId(), task.userId());
    }
  }

  private static List<TaskIdClaim> insert(Tx tx, List<NewTask> tasks) {
    return tx.sql(
            """
            insert into tasks (id, request_id, state, region, channel, spec, user_id)
            select id, request_id, 'PENDING', nullif(region, ''), channel, spec::jsonb,
                   nullif(user_id, 0)
            from unnest(?, ?, ?, ?, ?, ?)
              with ordinality as t(id, request_id, region, channel, spec, user_id, n)
            where not exists (select from task_ids_taken k where k.id = t.id)
            order by n
            on conflict do nothing
            returning id, request_id, user_id
            """)
        .with(
            texts(tasks, NewTask::id),
            texts(tasks, NewTask::requestId),
            texts(tasks, task -> task.region().orElse("")),
            texts(tasks, NewTask::channel),
            texts(tasks, task -> task.spec().toString()),
            tasks.stream().mapToLong(task -> task.userId().orElse(0L)).toArray())
        .list(
            resultRow ->
                new TaskIdClaim(
                    resultRow.text("id"),
                    resultRow.text("request_id"),
                    resultRow.maybeLong("user_id")));
  }

  /** A stored task, or an id alone that is taken without one. */
  private record ExistingTask(
      String id, String requestId, String channel, Optional<Long> userId, boolean holds) {}

  private static List<ExistingTask> present(Tx tx, List<NewTask> tasks) {
    return tx.sql(
            """
            select id, request_id, channel, user_id,
                   coalesce(spec ->> 'unique' = 'channel', false) and completed_at is null as holds
            from tasks
            where request_id = any(?) or id = any(?)
               or (channel = any(?) and completed_at is null and spec ->> 'unique' = 'channel')
            union all
            select id, '', '', null, false from task_ids_taken where id = any(?)
            """)
        .with(
            texts(tasks, NewTask::requestId),
            texts(tasks, NewTask::id),
            texts(tasks, NewTask::channel),
            texts(tasks, NewTask::id))
        .list(
            resultRow ->
                new ExistingTask(
                    resultRow.text("id"),
                    resultRow.text("request_id"),
                    resultRow.text("channel"),
                    resultRow.maybeLong("user_id"),
                    resultRow.booleanAt("holds")));
  }

  /**
   * Finds the conflict. Request ids and channels are scoped to their owner; ids are global, since
   * pods identify a task by its id.
   */
  private static TaskInsertResult obstacle(NewTask task, List<ExistingTask> present) {
    List<ExistingTask> own =
        present.stream().filter(row -> row.userId.equals(task.userId())).toList();
    Optional<ExistingTask> request =
        own.stream().filter(row -> row.requestId.equals(task.requestId())).findFirst();
    if (request.isPresent()) {
      return new TaskInsertResult.AlreadyInserted(request.get().id);
    }
    if (present.stream().anyMatch(row -> row.id.equals(task.id()))) {
      return new TaskInsertResult.InsertIdTaken();
    }
    return own.stream()
        .filter(row -> row.holds && row.channel.equals(task.channel()))
        .findFirst()
        .<TaskInsertResult>map(row -> new TaskInsertResult.InsertChannelBusy(row.id))
        .orElseGet(() -> new TaskInsertResult.InsertChannelBusy(""));
  }

  private static String[] texts(List<NewTask> all, Function<NewTask, String> text) {
    return all.stream().map(text).toArray(String[]::new);
  }
}
