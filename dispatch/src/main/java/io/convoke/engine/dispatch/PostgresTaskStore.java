package io.convoke.engine.dispatch;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.GroupCommit;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The task store on Postgres, in the tables of {@code tasks.sql}. Accepted tasks are committed in
 * groups; transitions come in batches from the outbox and are written with their journal rows in
 * one transaction.
 */
public final class PostgresTaskStore implements DurableTaskStore {
  /**
   * The channel of {@link #notifyServers}; a server that receives it calls {@link
   * DispatchService#deliverPending}.
   */
  public static final String CHANNEL = "convoke_tasks";

  private static final int BATCH_MAX = 500;

  private final Database database;
  private final TransitionListener transitionListener;
  private final GroupCommit<NewTask, TaskInsertResult> accepting;

  /**
   * Writes follow-ups of transitions, such as journal rows, in the transaction that records them.
   */
  @FunctionalInterface
  public interface TransitionListener {
    void moved(Tx tx, List<RecordedTransition> moves);
  }

  public PostgresTaskStore(Database database, TransitionListener transitionListener) {
    this.database = database;
    this.transitionListener = transitionListener;
    this.accepting = new GroupCommit<>(BATCH_MAX, 1, this::acceptAll);
  }

  @Override
  public boolean isDurable() {
    return true;
  }

  @Override
  public TaskInsertResult accept(NewTask task) {
    return accepting.submit(task);
  }

  @Override
  public void reject(String id) {
    database.run(
        tx -> {
          int _ = tx.sql("delete from tasks where id = ? and queued_at is null").with(id).update();
        });
  }

  @Override
  public boolean requestStop(String id) {
    return database.transaction(
        tx ->
            tx.sql("update tasks set desired = 'stop' where id = ? and completed_at is null")
                    .with(id)
                    .update()
                == 1);
  }

  @Override
  public void begin(RebuildEpoch rebuildEpoch) {
    database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      insert into dispatch_generations (place, generation) values (?, ?)
                      on conflict (place) do update set generation = excluded.generation
                      """)
                  .with(rebuildEpoch.keySpace(), rebuildEpoch.id())
                  .update();
        });
  }

  @Override
  public boolean record(RebuildEpoch rebuildEpoch, List<TaskTransition> moves) {
    return database.transaction(
        tx -> {
          if (!stands(tx, rebuildEpoch)) {
            return false;
          }
          Map<String, StoredTaskState> rows = lock(tx, moves);
          List<RecordedTransition> told = new ArrayList<>();
          Map<String, TaskChange> changes = new LinkedHashMap<>();
          for (TaskTransition taskTransition : moves) {
            StoredTaskState row = rows.get(taskTransition.id());
            if (row != null) {
              Optional<TaskChange> before = Optional.ofNullable(changes.get(taskTransition.id()));
              if (row.awaits(before, taskTransition)) {
                changes.put(taskTransition.id(), row.change(before, taskTransition));
                told.add(row.recorded(taskTransition));
              }
            }
          }
          write(tx, List.copyOf(changes.values()));
          if (!told.isEmpty()) {
            transitionListener.moved(tx, told);
          }
          return true;
        });
  }

  /**
   * Whether a generation is the current one, locked until the transaction ends. Postgres ends a
   * transaction that hangs after a second, because the begin of the next generation waits for it.
   */
  private static boolean stands(Tx tx, RebuildEpoch rebuildEpoch) {
    return tx.sql(
            """
            select set_config('idle_in_transaction_session_timeout', '1s', true)
            from dispatch_generations where place = ? and generation = ? for share
            """)
        .with(rebuildEpoch.keySpace(), rebuildEpoch.id())
        .first(resultRow -> true)
        .isPresent();
  }

  @Override
  public List<OpenTask> open(String afterId, int limit) {
    return database.read(
        tx ->
            tx.sql(OPEN + " and id > ? order by id limit ?")
                .with(afterId, limit)
                .list(PostgresTaskStore::openTask));
  }

  @Override
  public List<OpenTask> open(List<String> ids) {
    return database.read(
        tx ->
            tx.sql(OPEN + " and id = any(?)")
                .with((Object) ids.toArray(String[]::new))
                .list(PostgresTaskStore::openTask));
  }

  @Override
  public List<OpenTask> undelivered(int limit) {
    return database.read(
        tx -> {
          List<OpenTask> all =
              inTurn(
                  tx,
                  "queued_at is null and created_at < now() - interval '2 seconds'",
                  "created_at",
                  limit);
          all.addAll(inTurn(tx, "desired = 'stop'", "id", limit));
          return all;
        });
  }

  /**
   * Some of the open tasks, from each region in turn: on a cluster those of a region whose Redis is
   * away stay undelivered, and must not hide those of the others.
   */
  private static List<OpenTask> inTurn(Tx tx, String condition, String order, int limit) {
    return tx.sql(
            OPEN
                + """
                and id in (
                  select id from tasks where completed_at is null and %1$s
                  order by row_number() over (partition by region order by %2$s), %2$s limit ?)
                order by %2$s
                """
                    .formatted(condition, order))
        .with(limit)
        .list(PostgresTaskStore::openTask);
  }

  @Override
  public void notifyServers() {
    database.run(
        tx -> {
          int _ = tx.sql("select pg_notify(?, '')").with(CHANNEL).one(resultRow -> 0);
        });
  }

  @Override
  public List<EndedTask> ended(List<String> ids) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select id, state, attempt, error from tasks
                    where id = any(?) and completed_at is not null
                    """)
                .with((Object) ids.toArray(String[]::new))
                .list(
                    resultRow ->
                        new EndedTask(
                            resultRow.text("id"),
                            TaskState.valueOf(resultRow.text("state")),
                            resultRow.intAt("attempt"),
                            resultRow.text("error"))));
  }

  @Override
  public Optional<Task> find(String id) {
    return database.read(
        tx -> tx.sql("select * from tasks where id = ?").with(id).first(TaskListQueries::task));
  }

  private List<TaskInsertResult> acceptAll(List<NewTask> batch) {
    return database.transaction(tx -> TaskInserter.accept(tx, batch));
  }

  /** The stored state of a task before a batch. */
  private record StoredTaskState(
      long move,
      TaskState state,
      int attempt,
      String requestId,
      String type,
      String channel,
      Optional<String> region,
      Optional<Long> userId) {
    RecordedTransition recorded(TaskTransition next) {
      return new RecordedTransition(next, requestId, type, channel, region, userId);
    }

    /** Whether a transition is newer than what is known, and the task has not ended. */
    boolean awaits(Optional<TaskChange> before, TaskTransition next) {
      return !before.map(change -> change.last().state()).orElse(state).terminal()
          && next.number() > before.map(change -> change.last().number()).orElse(move);
    }

    TaskChange change(Optional<TaskChange> before, TaskTransition next) {
      boolean runs =
          before.map(change -> change.last().state()).orElse(state) == TaskState.PROCESSING
              && before.map(change -> change.last().attempt()).orElse(attempt) == next.attempt();
      return new TaskChange(
          next,
          before.isPresent(),
          next.state() == TaskState.PROCESSING && !runs
              ? Optional.of(next.at())
              : before.flatMap(TaskChange::claimedAt));
    }
  }

  /**
   * What a batch makes of a task.
   *
   * @param again whether the batch has earlier transitions: if it is pending now, it starts its
   *     wait now, while a new task has waited since it was accepted
   * @param claimedAt when its last attempt began, if that is in the batch
   */
  private record TaskChange(TaskTransition last, boolean again, Optional<Instant> claimedAt) {}

  private static Map<String, StoredTaskState> lock(Tx tx, List<TaskTransition> moves) {
    Map<String, StoredTaskState> rows = new LinkedHashMap<>();
    List<String> _ =
        tx.sql(
                """
                select id, move, state, attempt, request_id,
                       spec ->> 'type' as type, channel, region, user_id
                from tasks where id = any(?) order by id for update
                """)
            .with((Object) moves.stream().map(TaskTransition::id).distinct().toArray(String[]::new))
            .list(
                resultRow -> {
                  rows.put(
                      resultRow.text("id"),
                      new StoredTaskState(
                          resultRow.longAt("move"),
                          TaskState.valueOf(resultRow.text("state")),
                          resultRow.intAt("attempt"),
                          resultRow.text("request_id"),
                          resultRow.text("type"),
                          resultRow.text("channel"),
                          resultRow.maybeText("region"),
                          resultRow.maybeLong("user_id")));
                  return resultRow.text("id");
                });
    return rows;
  }

  /** Writes the new state of tasks. A stop of a running task does not change when it began. */
  private static void write(Tx tx, List<TaskChange> changes) {
    if (changes.isEmpty()) {
      return;
    }
    List<TaskTransition> moves = changes.stream().map(TaskChange::last).toList();
    int _ =
        tx.sql(
                """
                update tasks t
                set state = m.state, attempt = greatest(t.attempt, m.attempt), tries = m.tries,
                    error = m.error,
                    move = m.move, pod_id = nullif(m.pod, ''), worker_id = nullif(m.worker, -1),
                    desired = case when m.stop then 'stop' else t.desired end,
                    pending_at = case when m.state = 'PENDING' and (t.queued_at is not null or m.again)
                                      then now() + m.delay * interval '1 millisecond'
                                      else t.pending_at end,
                    processed_at = case when m.pod <> ''
                                        then coalesce(nullif(m.claimed, 'epoch'), t.processed_at) end,
                    completed_at = case when m.state in ('SUCCESS', 'FAILED', 'TIMEOUT')
                                        then m.at end,
                    queued_at = coalesce(t.queued_at, now())
                from unnest(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                  as m(id, state, attempt, tries, delay, error, move, pod, worker, stop, at, again,
                       claimed)
                where t.id = m.id
                """)
            .with(
                texts(moves, TaskTransition::id),
                texts(moves, taskTransition -> taskTransition.state().name()),
                moves.stream().map(TaskTransition::attempt).toArray(Integer[]::new),
                moves.stream().map(TaskTransition::tries).toArray(Integer[]::new),
                moves.stream()
                    .mapToLong(taskTransition -> taskTransition.delay().toMillis())
                    .toArray(),
                texts(moves, TaskTransition::error),
                moves.stream().mapToLong(TaskTransition::number).toArray(),
                texts(moves, taskTransition -> taskTransition.podId().orElse("")),
                moves.stream()
                    .map(taskTransition -> taskTransition.workerId().orElse(-1))
                    .toArray(Integer[]::new),
                moves.stream().map(TaskTransition::stop).toArray(Boolean[]::new),
                moves.stream().map(TaskTransition::at).toArray(Instant[]::new),
                changes.stream().map(TaskChange::again).toArray(Boolean[]::new),
                changes.stream()
                    .map(change -> change.claimedAt().orElse(Instant.EPOCH))
                    .toArray(Instant[]::new))
            .update();
  }

  private static final String OPEN =
      """
      select id, request_id, region, channel, user_id, spec, state, attempt, tries, desired, move,
             queued_at is not null as queued, pod_id, worker_id,
             (extract(epoch from now() - processed_at) * 1000)::bigint as running,
             (extract(epoch from now() - created_at) * 1000)::bigint as age,
             (extract(epoch from now() - pending_at) * 1000)::bigint as waiting
      from tasks where completed_at is null
      """;

  private static OpenTask openTask(ResultRow resultRow) {
    var spec = resultRow.json("spec");
    return new OpenTask(
        resultRow.text("id"),
        resultRow.text("request_id"),
        resultRow.maybeText("region"),
        resultRow.text("channel"),
        resultRow.maybeLong("user_id"),
        spec.path("type").asString(),
        spec.toString(),
        TaskState.valueOf(resultRow.text("state")),
        resultRow.intAt("attempt"),
        resultRow.intAt("tries"),
        resultRow.text("desired").equals("stop"),
        resultRow.booleanAt("queued"),
        Duration.ofMillis(Math.max(0, resultRow.longAt("age"))),
        Duration.ofMillis(resultRow.longAt("waiting")),
        resultRow.longAt("move"),
        resultRow
            .maybeText("pod_id")
            .filter(_ -> resultRow.text("state").equals(TaskState.PROCESSING.name()))
            .map(
                pod ->
                    new OpenTask.RunningAttempt(
                        pod,
                        resultRow.maybeInt("worker_id"),
                        Duration.ofMillis(
                            Math.max(0, resultRow.maybeLong("running").orElse(0L))))));
  }

  private static String[] texts(List<TaskTransition> all, Function<TaskTransition, String> text) {
    return all.stream().map(text).toArray(String[]::new);
  }
}
