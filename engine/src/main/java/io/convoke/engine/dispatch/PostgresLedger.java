package io.convoke.engine.dispatch;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.GroupCommit;
import io.convoke.engine.sql.Row;
import io.convoke.engine.sql.Tx;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The ledger in the table that {@code ledger.sql} beside this class documents. Accepted tasks are
 * committed in groups; moves come in batches from the outbox, and each is written with its journal
 * row in one transaction.
 */
public final class PostgresLedger implements Ledger {
  /** Where {@link #callOthers} is heard; whoever hears it calls {@link Dispatch#tellUnheard}. */
  public static final String CHANNEL = "convoke_tasks";

  private static final int BATCH_MAX = 500;

  private final Database database;
  private final Witness witness;
  private final GroupCommit<NewTask, Accepted> accepting;

  /** Writes what others are told of moves, in the transaction that records them. */
  @FunctionalInterface
  public interface Witness {
    void moved(Tx tx, List<Told> moves);
  }

  public PostgresLedger(Database database, Witness witness) {
    this.database = database;
    this.witness = witness;
    this.accepting = new GroupCommit<>(BATCH_MAX, 1, this::acceptAll);
  }

  @Override
  public boolean remembers() {
    return true;
  }

  @Override
  public Accepted accept(NewTask task) {
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
  public boolean wantStop(String id) {
    return database.transaction(
        tx ->
            tx.sql("update tasks set desired = 'stop' where id = ? and completed_at is null")
                    .with(id)
                    .update()
                == 1);
  }

  @Override
  public void begin(Generation generation) {
    database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      insert into dispatch_generations (place, generation) values (?, ?)
                      on conflict (place) do update set generation = excluded.generation
                      """)
                  .with(generation.place(), generation.id())
                  .update();
        });
  }

  @Override
  public boolean record(Generation generation, List<Move> moves) {
    return database.transaction(
        tx -> {
          if (!stands(tx, generation)) {
            return false;
          }
          Map<String, Known> rows = lock(tx, moves);
          List<Told> told = new ArrayList<>();
          Map<String, Move> last = new LinkedHashMap<>();
          Set<String> again = new HashSet<>();
          for (Move move : moves) {
            Known row = rows.get(move.id());
            Move before = last.get(move.id());
            if (row != null
                && !row.over
                && move.number() > (before == null ? row.move : before.number())
                && (before == null || !before.state().terminal())) {
              if (before != null) {
                boolean _ = again.add(move.id());
              }
              last.put(move.id(), move);
              told.add(row.told(move));
            }
          }
          write(tx, List.copyOf(last.values()), again);
          if (!told.isEmpty()) {
            witness.moved(tx, told);
          }
          return true;
        });
  }

  /**
   * Whether a generation is the latest; it stays so until the transaction ends. One that hangs ends
   * after a second, by Postgres: whoever begins the next generation waits for it.
   */
  private static boolean stands(Tx tx, Generation generation) {
    return tx.sql(
            """
            select set_config('idle_in_transaction_session_timeout', '1s', true)
            from dispatch_generations where place = ? and generation = ? for share
            """)
        .with(generation.place(), generation.id())
        .first(row -> true)
        .isPresent();
  }

  @Override
  public List<OpenTask> open(String afterId, int limit) {
    return database.read(
        tx ->
            tx.sql(OPEN + " and id > ? order by id limit ?")
                .with(afterId, limit)
                .list(PostgresLedger::openTask));
  }

  @Override
  public List<OpenTask> open(List<String> ids) {
    return database.read(
        tx ->
            tx.sql(OPEN + " and id = any(?)")
                .with((Object) ids.toArray(String[]::new))
                .list(PostgresLedger::openTask));
  }

  @Override
  public List<OpenTask> unheard(int limit) {
    return database.read(
        tx -> {
          List<OpenTask> all =
              tx.sql(
                      OPEN
                          + """
                           and queued_at is null and created_at < now() - interval '2 seconds'
                          order by created_at limit ?
                          """)
                  .with(limit)
                  .list(PostgresLedger::openTask);
          all.addAll(
              tx.sql(OPEN + " and desired = 'stop' order by id limit ?")
                  .with(limit)
                  .list(PostgresLedger::openTask));
          return all;
        });
  }

  @Override
  public void callOthers() {
    database.run(
        tx -> {
          int _ = tx.sql("select pg_notify(?, '')").with(CHANNEL).one(row -> 0);
        });
  }

  @Override
  public List<EndedTask> ended(Duration within, int limit) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select id, state, attempt, error from tasks
                    where completed_at > now() - ?::float8 * interval '1 millisecond'
                    order by completed_at desc limit ?
                    """)
                .with(within.toMillis(), limit)
                .list(
                    row ->
                        new EndedTask(
                            row.text("id"),
                            TaskState.valueOf(row.text("state")),
                            row.intAt("attempt"),
                            row.text("error"))));
  }

  @Override
  public Optional<Task> find(String id) {
    return database.read(
        tx -> tx.sql("select * from tasks where id = ?").with(id).first(TaskLists::task));
  }

  private List<Accepted> acceptAll(List<NewTask> batch) {
    return database.transaction(tx -> Acceptance.accept(tx, batch));
  }

  /** What is known of a task before a batch of moves. */
  private record Known(
      long move,
      boolean over,
      String requestId,
      String type,
      String channel,
      Optional<String> region,
      Optional<Long> userId) {
    Told told(Move next) {
      return new Told(next, requestId, type, channel, region, userId);
    }
  }

  private static Map<String, Known> lock(Tx tx, List<Move> moves) {
    Map<String, Known> rows = new LinkedHashMap<>();
    List<String> _ =
        tx.sql(
                """
                select id, move, completed_at is not null as over, request_id,
                       spec ->> 'type' as type, channel, region, user_id
                from tasks where id = any(?) order by id for update
                """)
            .with((Object) moves.stream().map(Move::id).distinct().toArray(String[]::new))
            .list(
                row -> {
                  rows.put(
                      row.text("id"),
                      new Known(
                          row.longAt("move"),
                          row.booleanAt("over"),
                          row.text("request_id"),
                          row.text("type"),
                          row.text("channel"),
                          row.maybeText("region"),
                          row.maybeLong("user_id")));
                  return row.text("id");
                });
    return rows;
  }

  /**
   * Writes how tasks stand.
   *
   * @param moves the last of each
   * @param again those that moved before, as is heard only now: what waits of them waits anew, and
   *     what was accepted and not heard of has waited since then
   */
  private static void write(Tx tx, List<Move> moves, Set<String> again) {
    if (moves.isEmpty()) {
      return;
    }
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
                    processed_at = case when m.state = 'PROCESSING' then m.at
                                        when m.state = 'PENDING' then null
                                        else t.processed_at end,
                    completed_at = case when m.state in ('SUCCESS', 'FAILED', 'TIMEOUT')
                                        then m.at end,
                    queued_at = coalesce(t.queued_at, now())
                from unnest(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                  as m(id, state, attempt, tries, delay, error, move, pod, worker, stop, at, again)
                where t.id = m.id
                """)
            .with(
                texts(moves, Move::id),
                texts(moves, move -> move.state().name()),
                moves.stream().map(Move::attempt).toArray(Integer[]::new),
                moves.stream().map(Move::tries).toArray(Integer[]::new),
                moves.stream().mapToLong(move -> move.delay().toMillis()).toArray(),
                texts(moves, Move::error),
                moves.stream().mapToLong(Move::number).toArray(),
                texts(moves, move -> move.podId().orElse("")),
                moves.stream().map(move -> move.workerId().orElse(-1)).toArray(Integer[]::new),
                moves.stream().map(Move::stop).toArray(Boolean[]::new),
                moves.stream().map(Move::at).toArray(Instant[]::new),
                moves.stream().map(move -> again.contains(move.id())).toArray(Boolean[]::new))
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

  private static OpenTask openTask(Row row) {
    var spec = row.json("spec");
    return new OpenTask(
        row.text("id"),
        row.text("request_id"),
        row.maybeText("region"),
        row.text("channel"),
        row.maybeLong("user_id"),
        spec.path("type").asString(),
        spec.toString(),
        TaskState.valueOf(row.text("state")),
        row.intAt("attempt"),
        row.intAt("tries"),
        row.text("desired").equals("stop"),
        row.booleanAt("queued"),
        Duration.ofMillis(Math.max(0, row.longAt("age"))),
        Duration.ofMillis(row.longAt("waiting")),
        row.longAt("move"),
        row.maybeText("pod_id")
            .filter(_ -> row.text("state").equals(TaskState.PROCESSING.name()))
            .map(
                pod ->
                    new OpenTask.Run(
                        pod,
                        row.maybeInt("worker_id"),
                        Duration.ofMillis(Math.max(0, row.maybeLong("running").orElse(0L))))));
  }

  private static String[] texts(List<Move> all, Function<Move, String> text) {
    return all.stream().map(text).toArray(String[]::new);
  }
}
