package io.convoke.chaos.dispatch;

import io.convoke.chaos.LastingConnection;
import io.convoke.chaos.dispatch.rules.TaskHistory.ObservedTransition;
import io.convoke.chaos.dispatch.rules.TaskHistory.TaskRow;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads the task table and the journal directly from the database; not the tasks of one user, whose
 * requests have the ids of others.
 */
final class TaskRows implements AutoCloseable {
  private final LastingConnection connection;

  /** Leaves out that user's. */
  private final String others;

  TaskRows(LastingConnection connection, long stranger) {
    this.connection = connection;
    this.others = "coalesce(user_id, 0) <> " + stranger;
  }

  Connection connection() throws SQLException {
    return connection.open();
  }

  /** Number of tasks that have not ended. */
  long open() throws SQLException {
    return connection
        .list(
            "select count(*) from convoke.tasks where completed_at is null", row -> row.getLong(1))
        .getFirst();
  }

  List<TaskRow> tasks() throws SQLException {
    return connection.list(
        """
        select id, request_id, channel, coalesce(spec ->> 'unique' = 'channel', false), state,
               attempt, desired = 'stop', error, created_at, completed_at
        from convoke.tasks where %s order by created_at, id
        """
            .formatted(others),
        row ->
            new TaskRow(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getBoolean(4),
                row.getString(5),
                row.getInt(6),
                row.getBoolean(7),
                row.getString(8),
                row.getTimestamp(9).toInstant(),
                Optional.ofNullable(row.getTimestamp(10)).map(Timestamp::toInstant)));
  }

  /** How each task ended, as {@link TaskText#end} shows it, by id. */
  Map<String, String> ends() throws SQLException {
    return connection
        .list(
            """
            select id, concat_ws('|', state, attempt, error, coalesce(pod_id, '-'),
              coalesce(worker_id::text, '-'),
              to_char(completed_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
            from convoke.tasks
            """,
            row -> Map.entry(row.getString(1), row.getString(2)))
        .stream()
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** The tasks with this condition, newest first, as {@link TaskText#listed} shows them. */
  List<String> listed(String condition) throws SQLException {
    return connection.list(
        """
        select concat_ws('|', id, request_id, channel, coalesce(region, '-'), spec ->> 'type', state,
          attempt, error, coalesce(pod_id, '-'), coalesce(worker_id::text, '-'), %s)
        from convoke.tasks where %s order by created_at desc, id desc
        """
            .formatted(
                Stream.of("created_at", "processed_at", "completed_at")
                    .map(TaskRows::iso)
                    .collect(Collectors.joining(", ")),
                condition),
        row -> row.getString(1));
  }

  /** A time as servers show it. */
  private static String iso(String column) {
    return "coalesce(to_char(%s at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'), '-')"
        .formatted(column);
  }

  /** Number of events of this type about a task. */
  int events(String type, String id) throws SQLException {
    return connection
        .list(
            "select count(*)::int from convoke.events where type = '%s' and subject = 'task:%s'"
                .formatted(type, id),
            row -> row.getInt(1))
        .getFirst();
  }

  /** Tasks that ended in their programs, and did not begin when the journal says. */
  List<String> wronglyBegun() throws SQLException {
    return connection.list(
        """
        select t.id from convoke.tasks t where t.state = 'SUCCESS' and not exists (
          select from convoke.events e where e.subject = 'task:' || t.id
          and e.type = 'task.processing' and (e.data ->> 'attempt')::int = t.attempt
          and (e.data ->> 'moved_at')::timestamptz = date_trunc('ms', t.processed_at))
        """,
        row -> row.getString(1));
  }

  /** Owner of each request; empty is the operator. */
  Map<String, String> owners() throws SQLException {
    return connection
        .list(
            "select request_id, coalesce(user_id::text, '') from convoke.tasks where " + others,
            row -> Map.entry(row.getString(1), row.getString(2)))
        .stream()
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (one, _) -> one));
  }

  /** Ids of the tasks with this condition, newest first. */
  List<String> ids(String condition) throws SQLException {
    return connection.list(
        "select id from convoke.tasks where " + condition + " order by created_at desc, id desc",
        row -> row.getString(1));
  }

  /**
   * Events that say something else of their task than its row, and any with a payload, or with a
   * slot that pods do not have.
   */
  List<String> wrongEvents() throws SQLException {
    return connection.list(
        """
        select e.seq || ' ' || e.data::text from convoke.events e
        join convoke.tasks t on t.id = e.data ->> 'task_id'
        where e.type like 'task.%' and e.data ? 'moved_at' and (e.data ? 'payload' or
          (e.data ->> 'worker_id')::int not between 0 and %d or
          (e.subject, e.user_id, e.data ->> 'request_id', e.data ->> 'task_type',
           e.data ->> 'channel', e.data ->> 'region', e.data ->> 'user_id') is distinct from
          ('task:' || t.id, t.user_id, t.request_id, t.spec ->> 'type',
           t.channel, t.region, t.user_id::text))
        """
            .replace("%d", Integer.toString(DispatchRunConfig.SLOTS - 1)),
        row -> row.getString(1));
  }

  /** Rows and events that hold this text, which is to be sealed or left out. */
  List<String> holding(String secret) throws SQLException {
    return connection.list(
        """
        select id from convoke.tasks where concat(spec, error) like '%%%1$s%%'
        union all select subject from convoke.events where data::text like '%%%1$s%%'
        """
            .formatted(secret),
        row -> row.getString(1));
  }

  List<ObservedTransition> transitions() throws SQLException {
    return connection.list(
        """
        select seq, type, data ->> 'task_id', data ->> 'state', (data ->> 'attempt')::int,
               data ->> 'pod_id', coalesce(data ->> 'error', ''), data ->> 'moved_at',
               data ->> 'pending_at'
        from convoke.events where type like 'task.%%' and data ? 'moved_at' and %s order by seq
        """
            .formatted(others),
        row ->
            new ObservedTransition(
                row.getLong(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getInt(5),
                Optional.ofNullable(row.getString(6)),
                row.getString(7),
                Instant.parse(row.getString(8)),
                Optional.ofNullable(row.getString(9)).map(Instant::parse)));
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
