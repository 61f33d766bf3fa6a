package io.convoke.server.egress;

import io.convoke.engine.dispatch.NewTask;
import io.convoke.engine.dispatch.PostgresTaskStore;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Queries on {@code egresses}, and on the tasks that they are of. */
final class EgressStore {
  /** Of open tasks: whether the room is not their user's any more. */
  private static final String DISPLACED =
      """
      t.completed_at is null and t.desired = 'run' and t.spec ->> 'type' = ?
        and t.spec ->> 'action' is distinct from ?
        and t.user_id is not null and not exists (
          select from room_claim_for('janus', t.channel, t.user_id) c where c.user_id = t.user_id)
      """;

  private final Database database;

  EgressStore(Database database) {
    this.database = database;
  }

  /** The position in a list, newest first. */
  record EgressPosition(Instant createdAt, String taskId) {}

  /**
   * Writes what these tasks have become, in the transaction that records it. A task that finished
   * another one has no files of its own: those of the other are counted again.
   */
  static void note(Tx tx, String[] tasks) {
    int _ =
        tx.sql(
                """
                insert into egresses (task_id, user_id, room, kind, state, created_at, ended_at)
                select id, user_id, channel, coalesce(spec -> 'payload' ->> 'kind', ''), state,
                       created_at, completed_at
                from tasks
                where id = any(?) and spec ->> 'action' is distinct from ?
                on conflict (task_id) do update
                  set state = excluded.state, ended_at = excluded.ended_at
                """)
            .with(tasks, EgressFeature.FINISH)
            .update();
    int _ =
        tx.sql(
                """
                update egresses e set recount = recount + 1 from tasks t
                where t.id = any(?) and t.completed_at is not null and t.spec ->> 'action' = ?
                  and e.task_id = t.spec -> 'payload' ->> 'of' and e.deleted_at is null
                """)
            .with(tasks, EgressFeature.FINISH)
            .update();
  }

  /** Running tasks of users whose the room is not any more. */
  static List<String> displaced(Tx tx) {
    return tx.sql("select t.id from tasks t where " + DISPLACED)
        .with(EgressFeature.TYPE, EgressFeature.FINISH)
        .list(row -> row.text("id"));
  }

  /**
   * Stops those of these tasks whose room is not their user's any more. Servers tell Redis when
   * they hear of it, or when they look for stop requests that Redis lacks.
   */
  static void stopDisplaced(Tx tx, String[] tasks) {
    List<String> _ =
        tx.sql(
                "with stopped as (update tasks t set desired = 'stop' where t.id = any(?) and "
                    + DISPLACED
                    + "returning t.id) select pg_notify(?, '') from stopped")
            .with(tasks, EgressFeature.TYPE, EgressFeature.FINISH, PostgresTaskStore.CHANNEL)
            .list(_ -> "");
  }

  Optional<EgressRow> find(String task) {
    return database.read(
        tx ->
            tx.sql("select " + EgressRow.COLUMNS + " from egresses where task_id = ?")
                .with(task)
                .first(EgressRow::of));
  }

  /** Whose a meeting is; empty if there is none. */
  Optional<Long> owner(long meeting) {
    return database.read(
        tx ->
            tx.sql("select user_id from meetings where id = ?")
                .with(meeting)
                .first(row -> row.longAt("user_id")));
  }

  /** Those of the meeting's user in its room while it lasted, newest first. */
  List<EgressRow> of(long meeting, Optional<EgressPosition> after, int limit) {
    Optional<Instant> at = after.map(EgressPosition::createdAt);
    return database.read(
        tx ->
            tx.sql(
                    "select "
                        + EgressRow.COLUMNS.replaceAll("(\\w+)", "e.$1")
                        + """
                         from egresses e join meetings m on m.id = ?
                        where e.room = m.platform_specific_id and e.user_id = m.user_id and m.platform = 'janus'
                          and e.created_at <= coalesce(m.end_time, 'infinity')
                          and coalesce(e.ended_at, 'infinity') >= coalesce(m.start_time, m.created_at)
                          and (?::timestamptz is null or (e.created_at, e.task_id) < (?, ?))
                        order by e.created_at desc, e.task_id desc limit ?
                        """)
                .with(meeting, at, at, after.map(EgressPosition::taskId).orElse(""), limit)
                .list(EgressRow::of));
  }

  /**
   * An egress that ended.
   *
   * @param recount how many tasks that finish it have ended since its files were counted
   * @param finishTries how many such tasks there were; 0 when it has its result
   */
  record EndedEgress(String taskId, int recount, int finishTries) {
    static EndedEgress of(ResultRow row) {
      return new EndedEgress(row.text("task_id"), row.intAt("recount"), row.intAt("finish_tries"));
    }
  }

  /** Ended ones whose files were not counted yet, or have changed since. */
  List<EndedEgress> uncounted(int limit) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select task_id, recount, finish_tries from egresses
                    where deleted_at is null and ended_at is not null
                      and (bytes is null or recount > 0)
                    order by ended_at limit ?
                    """)
                .with(limit)
                .list(EndedEgress::of));
  }

  /** Those without a result that no task finishes now, and that fewer tasks than this tried to. */
  List<EndedEgress> unfinished(int tries, int limit) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select task_id, recount, finish_tries from egresses e
                    where deleted_at is null and finish_tries > 0 and finish_tries < ?
                      and not exists (
                        select from tasks t
                        where t.channel = e.room and t.completed_at is null
                          and t.spec ->> 'action' = ?
                          and t.spec -> 'payload' ->> 'of' = e.task_id)
                    order by finish_tries, ended_at limit ?
                    """)
                .with(tries, EgressFeature.FINISH, limit)
                .list(EndedEgress::of));
  }

  /** The task that finishes this one, if there is something to join or to close. */
  Optional<NewTask> finishing(String task, String id) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select e.kind, t.channel, t.spec ->> 'region' as region, t.user_id
                    from egresses e join tasks t on t.id = e.task_id
                    where e.task_id = ? and e.kind in ('record', 'hls') and e.deleted_at is null
                    """)
                .with(task)
                .first(
                    row ->
                        new NewTask(
                            id,
                            EgressFeature.FINISH_REQUEST + id,
                            EgressFeature.TYPE,
                            EgressFeature.FINISH,
                            row.text("channel"),
                            row.maybeText("region"),
                            Json.mapper()
                                .createObjectNode()
                                .put("kind", row.text("kind"))
                                .put("of", task),
                            false,
                            row.maybeLong("user_id"))));
  }

  /** Writes the size of the files, and how many tasks there were to finish the egress. */
  void counted(EndedEgress egress, long bytes, int finishTries) {
    database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      update egresses set bytes = ?, recount = recount - ?, finish_tries = ?
                      where task_id = ? and deleted_at is null
                      """)
                  .with(bytes, egress.recount(), finishTries, egress.taskId())
                  .update();
        });
  }

  /** Ended before so long, with their files, and not among these. */
  List<String> expired(Duration retention, Set<String> except, int limit) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select task_id from egresses
                    where deleted_at is null and ended_at is not null
                      and ended_at < now() - ? * interval '1 millisecond'
                      and task_id <> all(?)
                    order by ended_at limit ?
                    """)
                .with(retention, except.toArray(String[]::new), limit)
                .list(row -> row.text("task_id")));
  }

  /** Deleted since so long; a pod that had lost its task may have stored something meanwhile. */
  List<String> deletedSince(Duration before) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select task_id from egresses
                    where deleted_at > now() - ? * interval '1 millisecond'
                    """)
                .with(before)
                .list(row -> row.text("task_id")));
  }

  /** Marks an ended one as deleted; false if it runs. */
  boolean delete(String task) {
    return database.transaction(
        tx ->
            tx.sql(
                        """
                        update egresses set deleted_at = coalesce(deleted_at, now()), bytes = null
                        where task_id = ? and ended_at is not null
                        """)
                    .with(task)
                    .update()
                == 1);
  }
}
